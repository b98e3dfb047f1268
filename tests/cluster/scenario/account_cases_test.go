package scenario

// accountCase is a JSON patch of a pod's status by somebody. The pods are as writtenBefore has them.
type accountCase struct {
	name, writer, pod, patch string
	refusal                  string // a part of the message; empty where the patch is permitted
}

// What the policies say.
const (
	saidMetadata   = "may not write a pod's metadata"
	saidStatus     = "may only write conditions and container statuses"
	saidConditions = "may only write its own condition"
	saidContainers = "may only write allocatedResourcesStatus of a container status"
	saidEntries    = "may only write the entries of claims"
	saidNode       = "on node worker-1 may only write pods of that node"
	saidUnbound    = "the token is bound to no pod"
	saidCondition  = "only dra-health-agent, nodes and cluster admins may write the condition"
)

// Parts of patches.
const (
	atMain     = `"/status/containerStatuses/0`
	atSide     = `"/status/initContainerStatuses/0`
	atOther    = `"/status/conditions/0`
	atOurs     = `"/status/conditions/1`
	aClaim     = `{"name":"claim:gpu","resources":[{"resourceID":"d/p/x","health":"Healthy","message":"news"}]}`
	aPlugin    = `{"name":"example.com/nic","resources":[{"resourceID":"d/p/x","health":"Healthy"}]}`
	aPluginSay = `{"name":"example.com/nic","resources":[{"resourceID":"d/p/x","health":"Unhealthy"}]}`
	aCondition = `{"type":"dra-health-agent/DevicesHealthy","status":"True","reason":"AllDevicesHealthy","message":"news"}`
	anotherOne = `{"type":"example.com/new","status":"True"}`

	writeEntry      = `{"op":"replace","path":` + atMain + `/allocatedResourcesStatus","value":[` + aClaim + `,` + aPlugin + `]}`
	writeSide       = `{"op":"add","path":` + atSide + `/allocatedResourcesStatus","value":[` + aClaim + `]}`
	addCondition    = `{"op":"add","path":"/status/conditions","value":[` + aCondition + `]}`
	writeCondition  = `{"op":"replace","path":` + atOurs + `","value":` + aCondition + `}`
	removeCondition = `{"op":"remove","path":` + atOurs + `"}`
)

var accountCases = []accountCase{
	// The agent, what it does.
	{"entry of a container", "agent", "mine", writeEntry, ""},
	{"entry of an init container", "agent", "mine", writeSide, ""},
	{"entry and condition in one patch", "agent", "mine", writeEntry + "," + writeSide + "," + writeCondition, ""},
	{"entries removed", "agent", "mine", `{"op":"remove","path":` + atSide + `/allocatedResourcesStatus"},` +
		`{"op":"replace","path":` + atMain + `/allocatedResourcesStatus","value":[` + aPlugin + `]}`, ""},
	{"condition added", "agent", "new", addCondition, ""},
	{"condition changed", "agent", "mine", writeCondition, ""},
	{"condition removed", "agent", "mine", removeCondition, ""},

	// The agent on other pods, or without a node.
	{"another node", "agent", "elsewhere", writeEntry, saidNode},
	{"no node", "agent", "nowhere", writeCondition, saidNode},
	{"token that is not bound", "unbound", "mine", writeEntry, saidUnbound},

	// The agent on its pods, what is not its own.
	{"label", "agent", "mine", `{"op":"add","path":"/metadata/labels","value":{"a":"b"}}`, saidMetadata},
	{"annotation", "agent", "mine", `{"op":"add","path":"/metadata/annotations","value":{"a":"b"}}`, saidMetadata},
	{"finalizer", "agent", "mine", `{"op":"add","path":"/metadata/finalizers","value":["example.com/a"]}`, saidMetadata},
	{"phase", "agent", "mine", `{"op":"replace","path":"/status/phase","value":"Failed"}`, saidStatus},
	{"reason", "agent", "mine", `{"op":"add","path":"/status/reason","value":"Evicted"}`, saidStatus},
	{"address", "agent", "mine", `{"op":"add","path":"/status/podIPs","value":[{"ip":"192.0.2.1"}]}`, saidStatus},
	{"claim statuses", "agent", "mine", `{"op":"add","path":"/status/resourceClaimStatuses","value":[{"name":"gpu"}]}`, saidStatus},
	{"ephemeral container", "agent", "mine", `{"op":"add","path":"/status/ephemeralContainerStatuses","value":[{"name":"debug"}]}`, saidStatus},
	{"another condition added", "agent", "mine", `{"op":"add","path":"/status/conditions/-","value":` + anotherOne + `}`, saidConditions},
	{"another condition changed", "agent", "mine", `{"op":"replace","path":` + atOther + `/status","value":"False"}`, saidConditions},
	{"another condition removed", "agent", "mine", `{"op":"remove","path":` + atOther + `"}`, saidConditions},
	{"another condition besides its own", "agent", "mine", writeCondition + `,{"op":"remove","path":` + atOther + `"}`, saidConditions},
	{"ready", "agent", "mine", `{"op":"replace","path":` + atMain + `/ready","value":true}`, saidContainers},
	{"restarts", "agent", "mine", `{"op":"replace","path":` + atMain + `/restartCount","value":7}`, saidContainers},
	{"state", "agent", "mine", `{"op":"add","path":` + atMain + `/state","value":{"terminated":{"exitCode":0}}}`, saidContainers},
	{"image", "agent", "mine", `{"op":"replace","path":` + atMain + `/image","value":"other"}`, saidContainers},
	{"resources", "agent", "mine", `{"op":"add","path":` + atMain + `/resources","value":{"requests":{"cpu":"1"}}}`, saidContainers},
	{"init container's state", "agent", "mine", `{"op":"replace","path":` + atSide + `/ready","value":true}`, saidContainers},
	{"container removed", "agent", "mine", `{"op":"remove","path":` + atMain + `"}`, saidContainers},
	{"container added", "agent", "mine", `{"op":"add","path":"/status/containerStatuses/-","value":{"name":"third"}}`, saidContainers},
	{"device plugin's entry changed", "agent", "mine", `{"op":"replace","path":` + atMain + `/allocatedResourcesStatus","value":[` + aClaim + `,` + aPluginSay + `]}`, saidEntries},
	{"device plugin's entry removed", "agent", "mine", `{"op":"replace","path":` + atMain + `/allocatedResourcesStatus","value":[` + aClaim + `]}`, saidEntries},
	{"device plugin's entries all removed", "agent", "mine", `{"op":"remove","path":` + atMain + `/allocatedResourcesStatus"}`, saidEntries},

	// Others and the condition.
	{"condition added by another account", "other", "new", addCondition, saidCondition},
	{"condition changed by another account", "other", "mine", writeCondition, saidCondition},
	{"condition removed by another account", "other", "mine", removeCondition, saidCondition},
	{"condition repeated by another account", "other", "mine", `{"op":"add","path":"/status/conditions/-","value":` + aCondition + `}`, saidCondition},
	{"condition changed by an account of the agent's name", "double", "mine", writeCondition, saidCondition},
	{"condition left alone by another account", "other", "mine", `{"op":"add","path":"/status/conditions/-","value":` + anotherOne + `}`, ""},
	{"phase by another account", "other", "mine", `{"op":"replace","path":"/status/phase","value":"Failed"}`, ""},
	{"label by another account", "other", "mine", `{"op":"add","path":"/metadata/labels","value":{"a":"b"}}`, ""},
	{"entries by another account", "other", "mine", writeEntry, ""},
	{"condition added by a node", "node", "new", addCondition, ""},
	{"condition changed by a node", "node", "mine", writeCondition, ""},
	{"condition removed by a node", "node", "mine", removeCondition, ""},
	{"condition added by a member of system:masters", "admin", "new", addCondition, ""},
	{"condition changed by a cluster admin", "owner", "mine", writeCondition, ""},
	{"condition removed by a cluster admin", "owner", "mine", removeCondition, ""},
}
