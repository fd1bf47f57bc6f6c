// Package azureblob is left out: this build has no state in a cloud.
package azureblob
