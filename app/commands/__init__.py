"""The commands: each turns arguments into a call of `pipelines`, and the result into an answer."""
