"""The ways of the ETM paper's script that its rules share: preparation, facts, order, equality."""
