"""One file per relation between two unequal answers; ``docs/relations.md`` lists them."""
