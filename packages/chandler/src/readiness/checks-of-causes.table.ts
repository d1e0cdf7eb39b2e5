/**
 * Which checks of `chandler check` could have found a cause before it struck: `why` names them with the cause, and `check explain`
 * names the causes. By the id of the cause; a test compares both sides with the tables that own them.
 */
export const CHECKS_OF_CAUSES: Readonly<Record<string, readonly string[]>> = {
  // The controller.
  'configuration.controller-down': ['S-23'],
  'configuration.no-pools': ['S-28'],
  'configuration.node-class-missing': ['S-27', 'S-29'],
  'configuration.node-class-not-ready': ['S-27'],
  'configuration.pool-invalid': ['S-28'],
  'planning.pool-not-ready': ['S-28'],
  'planning.nodes-do-not-join': ['K-90'],
  'aws-controller.dns': ['K-47'],
  'aws-controller.web-identity': ['S-06', 'S-20', 'S-25'],
  'aws-controller.old-crds': ['K-49'],
  'aws-controller.no-other-node': ['K-43', 'K-44'],
  'aws-controller.second-replica': ['K-44'],
  'aws-controller.pricing-timeout': ['K-66'],
  'aws-controller.denied': ['K-40', 'S-50'],
  'aws-call.denied': ['K-40', 'S-50'],
  // Node classes.
  'ec2nodeclass.subnets-not-found': ['S-07', 'S-10', 'S-26'],
  'ec2nodeclass.security-groups-not-found': ['S-09', 'S-10', 'S-26'],
  'ec2nodeclass.instance-profile-not-found': ['S-02', 'S-03'],
  'ec2nodeclass.role-invalid': ['K-35'],
  'ec2nodeclass.instance-profile-invalid': ['K-35'],
  'ec2nodeclass.unsupported-alias': ['S-34'],
  'ec2nodeclass.user-data-invalid': ['K-72'],
  'ec2nodeclass.user-data-too-large': ['K-72'],
  'ec2nodeclass.kubelet-unsupported': ['K-77'],
  'ec2nodeclass.pass-role': ['S-49'],
  'ec2nodeclass.auth-check-failed': ['S-50'],
  'ec2nodeclass.not-allowed': ['K-40', 'S-50'],
  'ec2nodeclass.no-credentials': ['S-06', 'S-25', 'K-39'],
  // Launches.
  'aws.instance-profile': ['S-02', 'S-03'],
  'aws.instance-profile-without-role': ['S-04'],
  'aws.device-name': ['S-39'],
  'aws.kms-key': ['S-38'],
  'aws.pass-role': ['S-49'],
  'aws.not-allowed': ['K-40', 'S-50'],
  'aws.no-credentials': ['S-06', 'S-25', 'K-39'],
  'aws.role-name-too-long': ['K-36'],
  'aws.user-data-too-large': ['K-72'],
  // Nodes that do not join.
  'aws-join.endpoint-placeholder': ['S-16'],
  'aws-join.endpoint-differs': ['S-18'],
  'aws-join.cluster-name': ['S-01'],
  'aws-join.role-not-mapped': ['S-51'],
  'aws-join.role-not-in-aws-auth': ['S-51'],
  'aws-join.aws-auth-row': ['S-51'],
  'aws-join.unauthorized': ['S-51'],
  'aws-join.profile-without-role': ['S-04'],
  'aws-boot.bootstrap-removed': ['K-72'],
  'aws-boot.settings-not-toml': ['K-72'],
  'aws-boot.worker-policy-missing': ['S-46'],
  'aws-boot.ecr-denied': ['S-47'],
  'aws-boot.cluster-unknown': ['S-01'],
  'registration.taint-missing': ['K-73'],
  // Nodes and pods.
  'nodes.startup-taint': ['K-58'],
  'nodes.resource-missing': ['K-57'],
  'aws-nodes.cni-not-ready': ['K-86'],
  'aws-nodes.pod-eni-missing': ['K-56'],
  'aws-nodes.device-missing': ['K-57'],
  'aws-nodes.termination-handler': ['K-68'],
  'aws-pods.volume-zone': ['K-63'],
  'aws-pods.ecr-login': ['S-47'],
  'aws-pods.too-many-pods': ['K-54'],
  'aws-pods.windows-support': ['K-78'],
  'aws-pods.windows-dns': ['K-78'],
  'aws-pods.metadata-hop-limit': ['S-36', 'K-27'],
  'leaving.disruption-budget': ['K-21'],
};

/** Causes that a check could have found. */
export function causesOfCheck(id: string): readonly string[] {
  return Object.entries(CHECKS_OF_CAUSES).flatMap(([cause, checks]) => (checks.includes(id) ? [cause] : []));
}

/** A line below the answer of `why`; empty where no check could have found the cause. */
export function checksLine(cause: string | undefined): string {
  const checks = CHECKS_OF_CAUSES[cause ?? ''] ?? [];
  return checks.length === 0 ? '' : `\nchandler check could have found it: ${checks.join(', ')}\n`;
}
