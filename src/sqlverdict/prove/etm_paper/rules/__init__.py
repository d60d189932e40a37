"""One file per rule of the ETM paper; each is a document that tests read, as in ``prove/rules``."""
