// Package s3blob is left out: this build has no state in a cloud.
package s3blob
