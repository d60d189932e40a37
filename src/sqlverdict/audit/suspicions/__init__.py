"""One file a sign that speaks against a gold."""
