"""What generates items, programs, environments and agents: AIQ, anytime test, flatland, tasks, learners."""
