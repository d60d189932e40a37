"""Which functions, relations and types of the server itself a text may name.

Functions of the server that change nothing and look at nothing but their arguments may be called:
the catalogue says which these are. The lists here name what the catalogue calls stable although it
reads settings, files, other sessions or texts that it runs, and, of all that begins with ``pg_``,
what only describes tables.
"""

from __future__ import annotations

from typing import Final

from sqlverdict.parse.tokens import word_set

BLOCKED_FUNCTIONS: Final = word_set(
    "current_logfile database_to_xml database_to_xml_and_xmlschema database_to_xmlschema "
    "cursor_to_xml cursor_to_xmlschema query_to_xml query_to_xml_and_xmlschema query_to_xmlschema "
    "schema_to_xml schema_to_xml_and_xmlschema schema_to_xmlschema table_to_xml "
    "table_to_xml_and_xmlschema table_to_xmlschema ts_stat ts_rewrite "
    "current_setting set_config nextval setval currval lastval loread lowrite lo_close lo_creat "
    "lo_create lo_export lo_from_bytea lo_get lo_import lo_lseek lo_lseek64 lo_open lo_put lo_tell "
    "lo_tell64 lo_truncate lo_truncate64 lo_unlink "
    "inet_client_addr inet_client_port inet_server_addr inet_server_port "
    "txid_current txid_current_if_assigned txid_current_snapshot txid_status "
    "txid_visible_in_snapshot shobj_description aclexplode acldefault makeaclitem getpgusername "
    "row_security_active to_regrole to_regdatabase system_user setseed has_parameter_privilege "
    "has_database_privilege has_tablespace_privilege has_server_privilege "
    "has_foreign_data_wrapper_privilege has_largeobject_privilege "
    "crosstab crosstabn connectby xpath_table"
)
"""Functions that run texts or read whole schemas, read or set options, tell of roles and of the
network, move sequences, or change what the next query draws by chance."""
BLOCKED_STARTS: Final = (
    *("dblink", "binary_upgrade_", "brin_summarize", "brin_desummarize", "gin_clean_", "regrole"),
    "regdatabase",
)
"""How the names of others begin."""
SYSTEM_FUNCTIONS: Final = word_set(
    "pg_typeof pg_basetype pg_column_size pg_column_compression pg_size_pretty pg_size_bytes "
    "pg_input_is_valid pg_input_error_info pg_char_to_encoding pg_encoding_to_char "
    "pg_encoding_max_length pg_collation_for pg_get_viewdef pg_get_constraintdef pg_get_expr "
    "pg_get_indexdef pg_get_serial_sequence pg_get_partkeydef pg_get_partition_constraintdef "
    "pg_get_triggerdef pg_get_ruledef pg_get_functiondef pg_get_function_arguments "
    "pg_get_function_identity_arguments pg_get_function_result pg_get_function_arg_default "
    "pg_get_function_sqlbody pg_get_statisticsobjdef pg_get_keywords "
    "pg_get_catalog_foreign_keys pg_describe_object pg_identify_object "
    "pg_table_is_visible pg_type_is_visible pg_function_is_visible pg_operator_is_visible "
    "pg_collation_is_visible pg_opclass_is_visible pg_opfamily_is_visible "
    "pg_relation_size pg_table_size pg_total_relation_size pg_indexes_size "
    "pg_partition_tree pg_partition_ancestors pg_partition_root pg_index_column_has_property "
    "pg_index_has_property pg_indexam_has_property pg_relation_is_updatable "
    "pg_column_is_updatable pg_is_in_recovery pg_lsn pg_timezone_names pg_timezone_abbrevs"
)
"""Functions that begin with ``pg_`` and may be called."""
SYSTEM_RELATIONS: Final = word_set(
    "pg_aggregate pg_am pg_attrdef pg_attribute pg_cast pg_class pg_collation pg_constraint "
    "pg_depend pg_description pg_enum pg_index pg_indexes pg_inherits pg_language pg_matviews "
    "pg_namespace pg_opclass pg_operator pg_opfamily pg_partitioned_table pg_proc pg_range "
    "pg_rewrite pg_rules pg_sequence pg_tables pg_timezone_abbrevs pg_timezone_names pg_trigger "
    "pg_type pg_views"
)
"""Relations of ``pg_catalog`` that describe tables, and may be read."""
SCHEMA_RELATIONS: Final = word_set(
    "attributes character_sets check_constraint_routine_usage check_constraints "
    "collation_character_set_applicability collations column_column_usage column_domain_usage "
    "column_udt_usage columns constraint_column_usage constraint_table_usage domain_constraints "
    "domain_udt_usage domains element_types information_schema_catalog_name key_column_usage "
    "parameters referential_constraints routines schemata sequences sql_features table_constraints "
    "tables triggered_update_columns triggers user_defined_types view_column_usage "
    "view_routine_usage view_table_usage views"
)
"""Relations of ``information_schema`` that may be read."""
BLOCKED_TYPES: Final = word_set("regrole _regrole regdatabase _regdatabase aclitem _aclitem")
"""Types whose values tell of roles and other databases."""
ROLE_WORDS: Final = frozenset(
    {"SVFOP_USER", "SVFOP_CURRENT_USER", "SVFOP_SESSION_USER", "SVFOP_CURRENT_ROLE"}
)
"""Words whose value is the name of the role that runs a query."""
ROLE_FUNCTIONS: Final = word_set("current_user session_user")
PLACE_WORDS: Final = frozenset({"SVFOP_CURRENT_CATALOG", "SVFOP_CURRENT_SCHEMA"})
"""Words whose value is the name of the database or schema in which a query runs."""
SYSTEM_COLUMNS: Final = word_set("cmax cmin ctid tableoid xmax xmin")
_PLACE_FUNCTIONS: Final = SYSTEM_COLUMNS | word_set(
    "col_description current_database current_query current_schema current_schemas obj_description "
    "to_regclass to_regcollation to_regnamespace to_regoper to_regoperator to_regproc "
    "to_regprocedure to_regtype to_regtypemod"
)
PLACE_TYPES: Final = word_set(
    "regclass regcollation regconfig regdictionary regnamespace regoper regoperator regproc "
    "regprocedure regtype"
)
"""Types whose values are numbers of things in this database."""
_PLAIN_FUNCTIONS: Final = word_set(
    "pg_basetype pg_char_to_encoding pg_collation_for pg_encoding_max_length pg_encoding_to_char "
    "pg_input_error_info pg_input_is_valid pg_lsn pg_size_bytes pg_size_pretty pg_typeof"
)
"""Functions that begin with ``pg_`` and look at nothing but their arguments."""
SYNTAX_FUNCTIONS: Final = {
    "JsonArrayAgg": ("json_arrayagg",),
    "JsonArrayConstructor": ("json_array",),
    "JsonArrayQueryConstructor": ("json_array",),
    "JsonFuncExpr": ("json_exists", "json_query", "json_value"),
    "JsonObjectAgg": ("json_objectagg",),
    "JsonObjectConstructor": ("json_object",),
    "JsonParseExpr": ("json",),
    "JsonScalarExpr": ("json_scalar",),
    "JsonSerializeExpr": ("json_serialize",),
    "JsonTable": ("json_table",),
}
"""Nodes that an older server reads as calls of functions."""


def tells_place(function: str) -> bool:
    """Whether a function may tell a database of ours from the real one."""
    if function.startswith("pg_"):
        return function not in _PLAIN_FUNCTIONS
    return function in _PLACE_FUNCTIONS or function.endswith("_privilege")


def is_of_catalogue(schema: str, relation: str) -> bool:
    """Whether a relation describes the database; ``schema`` is empty where the text names none."""
    if schema:
        return schema in ("information_schema", "pg_catalog")
    return relation in SYSTEM_RELATIONS


def is_blocked_function(name: str) -> bool:
    """Whether no text may call a function of that name."""
    if name.startswith("pg_"):
        return name not in SYSTEM_FUNCTIONS
    return name in BLOCKED_FUNCTIONS or name.startswith(BLOCKED_STARTS)


def is_blocked_relation(schema: str, name: str) -> bool:
    """Whether no text may read a relation; ``schema`` is empty where the text names none."""
    if schema == "information_schema":
        return name not in SCHEMA_RELATIONS
    if schema == "pg_catalog" or (not schema and name.startswith("pg_")):
        return name not in SYSTEM_RELATIONS
    return schema.startswith("pg_")
