// Package cloud is left out: this build encrypts secrets by a passphrase, or Pulumi Cloud's key.
package cloud

import (
	"encoding/json"
	"errors"

	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// Type of these managers in a stack's state.
const Type = "cloud"

var errLeftOut = errors.New(
	"a cloud's keys are not in the Pulumi that egress-bench builds; install Pulumi's release")

// EditProjectStack refuses.
func EditProjectStack(*workspace.ProjectStack, json.RawMessage) error { return errLeftOut }

// NewCloudSecretsManagerFromState refuses.
func NewCloudSecretsManagerFromState(json.RawMessage) (secrets.Manager, error) {
	return nil, errLeftOut
}

// NewCloudSecretsManager refuses.
func NewCloudSecretsManager(*workspace.ProjectStack, string, bool) (secrets.Manager, error) {
	return nil, errLeftOut
}
