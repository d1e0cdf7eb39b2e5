/** Values that Helm must reject, and the key that it must name. They are added to a values file of `values/`. */
export interface RefusedRow {
  readonly name: string;
  readonly base: string;
  readonly values: string;
  /** In what Helm says. */
  readonly says: readonly RegExp[];
}

const SMALL = { azure: 'azure-smallest', aws: 'aws-smallest' } as const;

export const REFUSED: readonly RefusedRow[] = [
  row('an unknown key', 'aws', 'replicaCount: 2', /additional properties 'replicaCount' not allowed/),
  row('an unknown setting', 'aws', 'settings: {clusterNmae: shop}', /settings.*'clusterNmae' not allowed/),
  row(
    'an unknown key below another',
    'aws',
    'controller: {image: {tag: x}}',
    /controller.*'image' not allowed/,
  ),
  row(
    'an unknown feature gate',
    'aws',
    'settings: {featureGates: {Drift: true}}',
    /featureGates.*'Drift' not allowed/,
  ),
  row(
    'no port that may be called, which would allow all',
    'aws',
    'networkPolicy: {enabled: true, egressPorts: []}',
    /networkPolicy\/egressPorts.*(?:minItems|at least 1)/,
  ),
  row(
    'a page that others reach under no name',
    'aws',
    'page: {enabled: true, bindAddress: 0.0.0.0}',
    /page\.bindAddress: .*set page\.hosts/,
  ),
  row('a text where a number must be', 'aws', 'replicas: two', /'\/replicas': got string, want integer/),
  row(
    'a number where a text must be',
    'azure',
    'settings: {clusterId: 12345678}',
    /'\/settings\/clusterId': got number, want string/,
  ),
  row(
    'a text where true or false must be',
    'aws',
    'settings: {isolatedVPC: "yes"}',
    /'\/settings\/isolatedVPC': got string, want boolean/,
  ),
  row(
    'a duration without a unit',
    'aws',
    'settings: {batchMaxDuration: "10"}',
    /'\/settings\/batchMaxDuration': '10' does not match/,
  ),
  row(
    'a value that is no choice',
    'aws',
    'settings: {preferencePolicy: Maybe}',
    /'\/settings\/preferencePolicy': value must be one of/,
  ),
  row(
    'a number out of range',
    'aws',
    'settings: {awsRatePercent: 200}',
    /'\/settings\/awsRatePercent': maximum/,
  ),
  row('an unknown cloud', 'aws', 'cloud: gcp', /'\/cloud': value must be one of/),
  row('no cluster name', 'aws', 'settings: {clusterName: ""}', /'\/settings\/clusterName': minLength/),
  row(
    'a cluster name that was removed',
    'aws',
    'settings: {clusterName: null}',
    /settings.*missing property 'clusterName'/,
  ),
  row('no image', 'aws', 'image: {repository: ""}', /'\/image\/repository': minLength/),
  row(
    'a digest that is none',
    'aws',
    'image: {digest: latest}',
    /'\/image\/digest': 'latest' does not match/,
  ),
  row(
    'identities of both clouds',
    'azure',
    'identity: {awsRoleArn: "arn:aws:iam::1:role/a"}',
    /'\/identity\/awsRoleArn'/,
  ),
  row(
    'the identity of the other cloud',
    'aws',
    'identity: {azureClientId: a}',
    /'\/identity\/azureClientId'/,
  ),
  row(
    'workload identity and a client secret',
    'azure',
    'secrets: {azureClientSecret: {name: a, key: b}}',
    /'\/secrets\/azureClientSecret'/,
  ),
  row(
    'an annotation of workload identity and a client secret',
    'azure',
    'identity: {azureClientId: ""}\nserviceAccount: {annotations: {azure.workload.identity/client-id: b}}\nsecrets: {azureClientSecret: {name: a, key: b}}',
    /'\/secrets\/azureClientSecret'/,
  ),
  row(
    'an annotation of IRSA and an access key',
    'aws',
    'identity: {awsRoleArn: ""}\nserviceAccount: {annotations: {eks.amazonaws.com/role-arn: "arn:aws:iam::1:role/a"}}\nsecrets: {awsSecretAccessKey: {name: a, key: b}}',
    /'\/secrets\/awsSecretAccessKey'/,
  ),
  row(
    'a token of workload identity and a client secret',
    'azure',
    'identity: {azureClientId: ""}\nsettings: {azureFederatedTokenFile: /token}\nsecrets: {azureClientSecret: {name: a, key: b}}',
    /'\/secrets\/azureClientSecret'/,
  ),
  row(
    'workload identity and a client secret as a variable',
    'azure',
    'controller: {env: [{name: AZURE_CLIENT_SECRET, value: a}]}',
    /controller\.env: AZURE_CLIENT_SECRET: is a second identity/,
  ),
  row(
    'variables that roles depend on',
    'aws',
    'controller: {env: [{name: LEADER_ELECTION_NAME, value: a}, {name: LEADER_ELECTION_NAMESPACE, value: b}]}',
    /controller\.env: LEADER_ELECTION_NAME: set settings\.leaderElectionName instead/,
    /controller\.env: LEADER_ELECTION_NAMESPACE: set settings\.leaderElectionNamespace instead/,
  ),
  row(
    'a variable that adds permissions',
    'azure',
    'controller: {env: [{name: DISRUPTION_SURGE, value: "true"}]}',
    /controller\.env: DISRUPTION_SURGE: set settings\.disruptionSurge instead/,
  ),
  row(
    'an identity and an annotation that says the same',
    'azure',
    'serviceAccount: {annotations: {azure.workload.identity/client-id: b}}',
    /serviceAccount\/annotations\/azure\.workload\.identity/,
  ),
  row(
    'a secret in plain text',
    'azure',
    'secrets: {kubeletBootstrapToken: abcdef.0123456789abcdef}',
    /'\/secrets\/kubeletBootstrapToken': got string, want object/,
  ),
  row(
    'two replicas without a leader',
    'azure',
    'settings: {disableLeaderElection: true}',
    /settings\.disableLeaderElection: without a leader every replica launches nodes; set replicas to 1/,
  ),
  row(
    'one replica without a leader that overlaps with the next one',
    'azure',
    '{replicas: 1, settings: {disableLeaderElection: true}}',
    /settings\.disableLeaderElection: .*strategy\.type to Recreate/,
  ),
  row(
    'no leader by a variable',
    'azure',
    'controller: {env: [{name: DISABLE_LEADER_ELECTION, value: "true"}]}',
    /controller\.env: DISABLE_LEADER_ELECTION: set settings\.disableLeaderElection instead/,
  ),
  row(
    'an option of another cloud',
    'aws',
    'settings: {vnetSubnetId: x}',
    /settings\.vnetSubnetId: is an option of cloud azure, but cloud is aws/,
  ),
  row(
    'required options that are missing',
    'azure',
    'settings: {location: "", sshPublicKey: ""}',
    /settings\.location: is required on cloud azure/,
    /settings\.sshPublicKey: is required/,
  ),
  row(
    'no bootstrap token',
    'aws',
    'cloud: azure',
    /secrets\.kubeletBootstrapToken: is required on cloud azure/,
  ),
  row(
    'an identity for a ServiceAccount of others',
    'azure',
    'serviceAccount: {create: false}',
    /identity: needs serviceAccount\.create/,
  ),
  row(
    'a ServiceAccount of others without its name',
    'aws',
    '{identity: {awsRoleArn: ""}, serviceAccount: {create: false}}',
    /serviceAccount\.name: is required where serviceAccount\.create is false/,
  ),
];

// ---------------------------------------------------------------------------------------------------

function row(name: string, cloud: keyof typeof SMALL, values: string, ...says: RegExp[]): RefusedRow {
  return { name, base: SMALL[cloud], values, says };
}
