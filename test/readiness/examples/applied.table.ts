import { aChange, aPlan, aResource, aState, type ExampleTable } from './example.ts';

const ARN = 'arn:aws:iam::418295670013:role/shop-karpenter';
const role = (arn: string) => ({
  'values.yaml': `settings:\n  clusterName: shop\nserviceAccount:\n  annotations:\n    eks.amazonaws.com/role-arn: ${ARN}\n`,
  'state.json': aState(aResource('aws_iam_role', 'karpenter', { name: 'shop-karpenter', arn })),
});
const profile = (own: string) => ({
  'state.json': aState(aResource('aws_iam_instance_profile', 'karpenter', { name: 'p', role: own })),
});
const pending = (actions: readonly string[]) => ({
  'state.json': aState(aResource('aws_iam_role', 'karpenter', { name: 'shop-karpenter' })),
  'plan.json': aPlan(aChange('aws_iam_role', 'karpenter', actions)),
});

export const APPLIED_EXAMPLES: ExampleTable = {
  'S-04': {
    fails: { status: 'fail', files: profile(''), sources: ['state.json:2'] },
    passes: { files: profile('KarpenterNodeRole-shop'), sources: ['state.json:2'] },
  },
  'S-05': {
    fails: { status: 'fail', files: role(`${ARN}-old`), sources: ['values.yaml:5'] },
    passes: { files: role(ARN), sources: ['values.yaml:5', 'state.json:2'] },
  },
  'S-64': {
    fails: { status: 'warn', files: pending(['update']), sources: ['plan.json:1'] },
    passes: { files: pending(['no-op']), sources: ['plan.json:1'] },
  },
};
