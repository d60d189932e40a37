"""Which functions a query may call on MySQL and MariaDB, and what else stands before ``(``.

A list of what is harmless, not of what is not: a server may have functions that nobody here knows.
Left out are those that read files, wait, lock, run code, or show users, replication, sequences and
what an earlier query left behind.
"""

from __future__ import annotations

from typing import Final

from sqlverdict.parse.tokens import word_set

FUNCTIONS: Final = word_set(
    # numbers
    "abs acos asin atan atan2 bin bit_count ceil ceiling conv cos cot crc32 crc32c degrees div exp "
    "floor format hex isnull ln log log10 log2 mod oct pi pow power radians rand round sign sin "
    "rownum sqrt tan to_number trunc truncate unhex "
    # texts
    "ascii bit_length char character_length char_length chr concat concat_ws elt export_set field "
    "find_in_set from_base64 insert instr lcase left length lengthb locate lower lpad ltrim "
    "make_set mid natural_sort_key octet_length ord position quote regexp_instr regexp_like "
    "regexp_replace regexp_substr repeat replace reverse right rpad rtrim sformat soundex match "
    "space strcmp substr substring substring_index to_base64 to_char trim ucase upper "
    "weight_string "
    # dates
    "adddate add_months addtime convert_tz curdate current_date current_time current_timestamp "
    "curtime date datediff date_add date_format date_sub day dayname dayofmonth dayofweek "
    "dayofyear extract from_days from_unixtime get_format hour last_day localtime localtimestamp "
    "makedate maketime microsecond minute month monthname now period_add period_diff quarter "
    "second sec_to_time str_to_date subdate subtime sysdate time timediff timestamp timestampadd "
    "timestampdiff time_format time_to_sec to_days to_seconds unix_timestamp utc_date utc_time "
    "utc_timestamp week weekday weekofyear year yearweek "
    # choices and types
    "binary cast coalesce coercibility charset collation convert greatest if ifnull interval least "
    "nullif nvl nvl2 values value default row any_value grouping "
    # groups and windows
    "avg bit_and bit_or bit_xor count cume_dist dense_rank first_value group_concat json_arrayagg "
    "json_objectagg lag last_value lead max median min nth_value ntile percentile_cont "
    "percentile_disc percent_rank rank row_number std stddev stddev_pop stddev_samp sum variance "
    "var_pop var_samp st_collect "
    # JSON, XML, dynamic columns
    "column_add column_check column_create column_delete column_exists column_get column_json "
    "column_list extractvalue json_array json_array_append json_array_insert json_compact "
    "json_contains json_contains_path json_depth json_detailed json_equals json_exists "
    "json_extract json_insert json_keys json_length json_loose json_merge json_merge_patch "
    "json_merge_preserve json_normalize json_object json_overlaps json_pretty json_query "
    "json_quote json_remove json_replace json_schema_valid json_search json_set json_storage_size "
    "json_table json_type json_unquote json_valid json_value updatexml member "
    # digests, addresses, the database and the connection
    "aes_decrypt aes_encrypt compress connection_id database decode encode inet6_aton inet6_ntoa "
    "inet_aton inet_ntoa is_ipv4 is_ipv4_compat is_ipv4_mapped is_ipv6 is_uuid bin_to_uuid "
    "uuid_to_bin md5 random_bytes schema sha sha1 sha2 uncompress uncompressed_length uuid "
    "uuid_short version "
    # shapes
    "area asbinary astext aswkb aswkt boundary buffer centroid contains convexhull crosses "
    "dimension disjoint endpoint envelope equals exteriorring geomcollfromtext geometryn "
    "geometrycollection geometryfromtext geometrytype geometryfromwkb geomfromtext geomfromwkb "
    "glength interiorringn intersects isclosed isempty isring issimple linefromtext linestring "
    "linestringfromtext mbrcontains mbrcoveredby mbrcovers mbrdisjoint mbrequal mbrequals "
    "mbrintersects mbroverlaps mbrtouches mbrwithin multilinestring multipoint multipolygon "
    "numgeometries numinteriorrings numpoints overlaps point pointfromtext pointn pointonsurface "
    "geomcollfromwkb geometrycollectionfromtext geometrycollectionfromwkb linefromwkb "
    "linestringfromwkb mlinefromtext mlinefromwkb mpointfromtext mpointfromwkb mpolyfromtext "
    "mpolyfromwkb multilinestringfromtext multilinestringfromwkb multipointfromtext "
    "multipointfromwkb multipolygonfromtext multipolygonfromwkb pointfromwkb polyfromwkb "
    "polygonfromwkb polyfromtext polygon polygonfromtext srid startpoint touches within x y "
    "st_area st_asbinary st_asgeojson st_astext st_aswkb st_aswkt st_boundary st_buffer "
    "st_buffer_strategy st_centroid st_contains st_convexhull st_crosses st_difference "
    "st_dimension st_disjoint st_distance st_distance_sphere st_endpoint st_envelope st_equals "
    "st_exteriorring st_frechetdistance st_geohash st_geomcollfromtext st_geomcollfromwkb "
    "st_geometrycollectionfromtext st_geometryfromtext st_geometryfromwkb st_geometryn "
    "st_geometrytype st_geomfromgeojson st_geomfromtext st_geomfromwkb st_hausdorffdistance "
    "st_interiorringn st_intersection st_intersects st_isclosed st_isempty st_isring st_issimple "
    "st_isvalid st_latfromgeohash st_latitude st_length st_linefromtext st_linefromwkb "
    "st_linestringfromtext st_longfromgeohash st_longitude st_makeenvelope st_numgeometries "
    "st_numinteriorring st_numinteriorrings st_numpoints st_overlaps st_pointfromgeohash "
    "st_pointfromtext st_pointfromwkb st_pointn st_pointonsurface st_polyfromtext st_polyfromwkb "
    "st_geometrycollectionfromwkb st_linestringfromwkb st_mlinefromtext st_mlinefromwkb "
    "st_mpointfromtext st_mpointfromwkb st_mpolyfromtext st_mpolyfromwkb st_polygonfromwkb "
    "st_polygonfromtext st_relate st_simplify st_srid st_startpoint st_swapxy st_symdifference "
    "st_touches st_transform st_union st_validate st_within st_x st_y"
)
"""What may be called."""

BLOCKED_FUNCTIONS: Final = word_set(
    "benchmark binlog_gtid_pos can_access_database can_access_table can_access_user "
    "can_access_view can_access_column current_role current_user des_decrypt des_encrypt encrypt "
    "found_rows get_lock gtid_subset gtid_subtract is_free_lock is_used_lock last_insert_id "
    "lastval lib_mysqludf_sys_info load_file master_gtid_wait master_pos_wait name_const nextval "
    "old_password password ps_current_thread_id ps_thread_id release_all_locks release_lock "
    "roles_graphml row_count session_user setval sleep source_pos_wait statement_digest "
    "statement_digest_text sys_bineval sys_eval sys_exec sys_get sys_set system_user user "
    "validate_password_strength wait_for_executed_gtid_set wait_until_sql_thread_after_gtids "
    "wsrep_last_seen_gtid wsrep_last_written_gtid wsrep_sync_wait_upto_gtid"
)
"""What is known not to be harmless; all that is unknown is refused in other words."""

KEYWORDS: Final = word_set(
    "against all and any as between by case cross cube distinct distinctrow else end escape except "
    "exists for force from group having ignore in index inner intersect is join key lateral like "
    "limit minus natural not of offset on or order outer over partition recursive regexp rlike "
    "rollup select separator some sounds straight_join then union use using when where window "
    "with xor columns nested path both leading trailing high_priority sql_big_result "
    "sql_buffer_result sql_cache sql_no_cache sql_small_result"
)
"""Words before a parenthesis that call nothing."""

TYPES: Final = word_set(
    "bigint binary bit blob bool boolean char character datetime dec decimal double enum fixed "
    "float float4 float8 int int1 int2 int3 int4 int8 integer longblob longtext mediumblob "
    "mediumint mediumtext nchar numeric number nvarchar real set smallint text tinyblob tinyint "
    "tinytext varbinary varchar varcharacter"
)
"""Types with a length or a precision."""
