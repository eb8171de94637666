"""Systems that learn programs: a corpus to learn from, learners, scoring, experiments."""
