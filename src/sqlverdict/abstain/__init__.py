"""When to answer and when to abstain: generators f, detectors g, compositions h, thresholds."""
