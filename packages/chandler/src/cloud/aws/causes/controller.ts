/** Layer 1 on AWS: why the controller does not start or does not work, by what its replicas say and by its options. */
import {
  type Cause,
  type ControllerEvidence,
  type EvidenceSet,
  type Match,
  seen,
  waitsForController,
} from '../../../causes/index.ts';

import { controllerFacts, SHOW_IDENTITY } from './aws-row.ts';

interface Row {
  readonly name: string;
  readonly says: RegExp;
  readonly title: string;
  readonly fix: string;
  readonly confirm?: readonly string[];
}

const SHOW_LOG = 'kubectl -n {namespace} logs deployment/{deployment} --previous --tail=50';

/** By the last words of a replica that does not run. */
const STOPPED: readonly Row[] = [
  {
    name: 'dns',
    says: /(?:lookup|resolve) \S*sts\S*.{0,80}(?:i\/o timeout|no such host|server misbehaving|EAI_AGAIN)|getaddrinfo (?:EAI_AGAIN|ENOTFOUND) \S*amazonaws/i,
    title: 'The controller cannot resolve names of AWS',
    fix: 'With dnsPolicy ClusterFirst the controller needs the DNS of the cluster, which may wait for a node of the controller itself. Run CoreDNS on a managed node group or Fargate, or set dnsPolicy of the chart to Default.',
    confirm: ['kubectl -n kube-system get pods -l k8s-app=kube-dns -o wide'],
  },
  {
    name: 'web-identity',
    says: /AssumeRoleWithWebIdentity|InvalidIdentityToken|WebIdentityErr|No OpenIDConnect provider found/i,
    title: 'The controller cannot assume its role',
    fix: 'The trust policy of the role must name the OIDC provider of this cluster, and the service account with its namespace (system:serviceaccount:{namespace}:…). Create the provider if the account has none: eksctl utils associate-iam-oidc-provider --cluster {cluster} --approve. Check the ARN in the annotation eks.amazonaws.com/role-arn.',
    confirm: [
      SHOW_IDENTITY,
      'aws iam list-open-id-connect-providers',
      'aws eks describe-cluster --region {region} --name {cluster} --query cluster.identity.oidc.issuer',
    ],
  },
  {
    name: 'zonal-shift',
    says: /not registered (?:with ARC|to) zonal shift/i,
    title: 'ENABLE_ZONAL_SHIFT is true, and the cluster is not registered with ARC zonal shift',
    fix: 'Register the cluster: aws eks update-cluster-config --region {region} --name {cluster} --zonal-shift-config enabled=true. Or turn the option off: settings.enableZonalShift=false of the chart (ENABLE_ZONAL_SHIFT).',
    confirm: ['aws eks describe-cluster --region {region} --name {cluster} --query cluster.zonalShiftConfig'],
  },
  {
    name: 'pricing-timeout',
    says: /pricing.{0,200}(?:timeout|timed out|deadline exceeded|ETIMEDOUT)/i,
    title: 'The controller waits for the Pricing API, which it cannot reach',
    fix: 'Set isolatedVPC (ISOLATED_VPC=true) in a VPC without internet access: then built-in prices are used. There is no VPC endpoint for Pricing in most regions.',
    confirm: ['kubectl -n {namespace} get deployment {deployment} -o yaml'],
  },
  {
    name: 'old-crds',
    says: /unknown field "?spec|no matches for kind "?(?:EC2NodeClass|NodePool|NodeClaim|NodeOverlay)/i,
    title: 'The CRDs are older than the controller',
    fix: 'Helm does not upgrade CRDs of a chart: install the chart of the CRDs in the version of the controller (helm upgrade --install karpenter-crd …, or chandler-crd).',
    confirm: [
      'kubectl get crd ec2nodeclasses.karpenter.k8s.aws nodepools.karpenter.sh -o yaml | grep controller-gen',
    ],
  },
  {
    name: 'image-pull',
    says: /(?:public\.ecr\.aws|dkr\.ecr)\S*.{0,300}(?:403 Forbidden|not found|manifest unknown|denied|toomanyrequests)/i,
    title: 'The image of the controller cannot be pulled from ECR',
    fix: 'Check the tag: versions 0.17 to 0.34 have a v in front, others do not. A stale login has the same effect for Helm: helm registry logout public.ecr.aws. Charts in OCI registries need Helm 3.8.',
    confirm: ['kubectl -n {namespace} describe pods -l app.kubernetes.io/name=karpenter'],
  },
  {
    name: 'no-other-node',
    says: /didn't match pod anti-affinity rules|didn't match Pod's node affinity|node\(s\) had untolerated taint.{0,40}karpenter/i,
    title: 'No node can host the controller',
    fix: 'The controller does not run on nodes that it launches itself. Keep a managed node group or a Fargate profile with room for its replicas.',
    confirm: ['kubectl -n {namespace} describe pods -l app.kubernetes.io/name=karpenter'],
  },
];

export const CONTROLLER: readonly Cause[] = [
  ...STOPPED.map(
    ({ name, says, title, fix, confirm = [] }): Cause => ({
      id: `aws-controller.${name}`,
      layer: 'configuration',
      specificity: 'exact',
      title,
      symptom: 'No replica of the controller is ready, and the last one says why.',
      summary: `${title}: {problem}`,
      fix,
      confirm: [SHOW_LOG, ...confirm],
      explains: ['configuration.controller-down'],
      breaksNodes: waitsForController,
      recognise: (evidence) => stopped(evidence, says),
    }),
  ),
  {
    id: 'aws-controller.second-replica',
    layer: 'configuration',
    specificity: 'exact',
    title: 'Not all replicas of the controller run',
    symptom: 'The Deployment of the controller has fewer ready replicas than it wants.',
    summary: '{ready} of {wanted} replicas of the controller are ready.',
    fix: 'Replicas do not share a node and do not run on nodes of their own NodePools: the managed node group needs a node for each, or set replicas to 1.',
    confirm: ['kubectl -n {namespace} get pods -l app.kubernetes.io/name=karpenter -o wide'],
    recognise: (evidence) => {
      const controller = evidence.first('controller');
      if (controller === undefined || controller.hosting === 'managed') return undefined;
      const { wanted, ready } = controller.replicas;
      if (ready === 0 || ready >= wanted) return undefined;
      return {
        weight: 'suspicious',
        facts: { ...controllerFacts(evidence), wanted: String(wanted), ready: String(ready) },
        seen: [seen(controller, `${ready} of ${wanted} ready`)],
      };
    },
  },
  {
    id: 'aws-controller.uninstalled',
    breaksNodes: waitsForController,
    layer: 'configuration',
    specificity: 'exact',
    title: 'Nodes are being deleted, and the controller that finishes it is gone',
    symptom:
      'A Node or NodeClaim has been terminating for a long time, with the finalizer karpenter.sh/termination, and no controller leads.',
    summary: '{object} has been terminating for {minutes} minutes, but no controller removes its finalizer.',
    fix: 'Install the controller again, which drains the nodes and terminates their instances. Otherwise terminate the instances yourself and remove the finalizer: kubectl patch node {node} --type=json -p \'[{"op":"remove","path":"/metadata/finalizers"}]\'',
    confirm: [
      'kubectl get nodes -o custom-columns=NAME:.metadata.name,FINALIZERS:.metadata.finalizers',
      'aws ec2 describe-instances --region {region} --filters Name=tag-key,Values=karpenter.sh/nodepool --query "Reservations[].Instances[].InstanceId"',
    ],
    explains: ['configuration.no-leader', 'leaving.drain-slow'],
    recognise: orphaned,
  },
];

// ---------------------------------------------------------------------------------------------------------------

const ORPHANED_MS = 5 * 60_000;

function stopped(evidence: EvidenceSet, says: RegExp): Match | undefined {
  const controller: ControllerEvidence | undefined = evidence.first('controller');
  if (controller?.stopped === undefined || controller.replicas.ready > 0) return undefined;
  const { reason, message } = controller.stopped;
  const text = `${reason}: ${message}`;
  if (!says.test(text)) return undefined;
  return { facts: { ...controllerFacts(evidence), problem: message }, seen: [seen(controller, text)] };
}

function orphaned(evidence: EvidenceSet): Match | undefined {
  const controller = evidence.first('controller');
  // A Deployment that is down is a cause of its own; here there is none, and its Lease is stale.
  if (controller === undefined || controller.hosting !== 'managed' || controller.leader !== undefined)
    return undefined;
  const leaving = [...evidence.all('nodeClaim'), ...evidence.all('node')].find(
    ({ deletingSinceMs }) => deletingSinceMs !== undefined && evidence.ageMs(deletingSinceMs) > ORPHANED_MS,
  );
  if (leaving === undefined) return undefined;
  const minutes = String(Math.floor(evidence.ageMs(leaving.deletingSinceMs!) / 60_000));
  return {
    facts: { object: leaving.reading.what, minutes },
    seen: [seen(leaving, `terminating for ${minutes} minutes`), seen(controller, 'no leader')],
  };
}
