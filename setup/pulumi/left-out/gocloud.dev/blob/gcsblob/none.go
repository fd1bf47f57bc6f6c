// Package gcsblob is left out: this build has no state in a cloud.
package gcsblob

// Scheme of Google's buckets.
const Scheme = "gs"
