"""Predicting the next key from the last few: what DeepLog and LogAnomaly share."""
