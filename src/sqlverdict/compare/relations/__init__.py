"""One file a relation between two unequal answers; ``docs/relations.md`` lists them."""
