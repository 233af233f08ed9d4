"""The repairs, a module for each family of defects; new modules are found by themselves."""
