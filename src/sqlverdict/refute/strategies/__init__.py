"""Search strategies: one file per way to make instances; the file is the member.

A strategy makes an instance from what the two queries say. It takes its turn in the rotation, and
its example is found with it and missed without it. Three other sources of instances are none:

``bank/store``        makes nothing: it repeats instances that separated earlier pairs, before the
                      first turn, and which it has depends on the pairs that were searched before
``data/mutate``       changes rows of a real database, which a pair alone does not have; they come
                      between the turns, as far as the data allow, and take none away
``trial/null_probe``  a search of its own, after one whose witness is unusual or missing: it puts
                      NULLs into instances that the strategies made and on which the queries agree
"""
