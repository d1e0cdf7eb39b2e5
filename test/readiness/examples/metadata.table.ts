import { aNodeClass, type ExampleTable } from './example.ts';

/** Its containers are in line 10. */
export function balancer(args: readonly string[], account = 'balancer'): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: balancer
  namespace: kube-system
spec:
  template:
    spec:
      serviceAccountName: ${account}
      containers:
        - name: controller
          image: public.ecr.aws/eks/aws-load-balancer-controller:v2.13.0
          args: [${args.map((each) => JSON.stringify(each)).join(', ')}]
`;
}

/** Its annotation is in line 7. */
export const BALANCER_ACCOUNT = `apiVersion: v1
kind: ServiceAccount
metadata:
  name: balancer
  namespace: kube-system
  annotations:
    eks.amazonaws.com/role-arn: arn:aws:iam::418295670013:role/balancer
`;

export const hops = (limit: number) =>
  aNodeClass(`  metadataOptions:\n    httpPutResponseHopLimit: ${limit}`);

export const METADATA_EXAMPLES: ExampleTable = {
  'K-27': {
    fails: {
      status: 'warn',
      files: {
        'class.yaml': hops(1),
        'balancer.yaml': balancer(['--cluster-name=shop']),
        'account.yaml': BALANCER_ACCOUNT,
      },
      sources: ['class.yaml:7', 'balancer.yaml:10'],
    },
    passes: {
      files: {
        'class.yaml': hops(1),
        'balancer.yaml': balancer(['--cluster-name=shop', '--aws-vpc-id=vpc-1', '--aws-region=us-west-2']),
        'account.yaml': BALANCER_ACCOUNT,
      },
      sources: ['class.yaml:7', 'balancer.yaml:10', 'account.yaml:7'],
    },
  },
};
