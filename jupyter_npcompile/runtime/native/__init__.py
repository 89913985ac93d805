"""Native code: what Inductor generates, built as one library and called on ndarrays."""
