/** Karpenter's IAM policies for the controller of the simulated account, and the same without one action. */
import { controllerPolicy, type PolicyDocument } from '@chandler/cloudsim/aws';
import type { PolicyPlace } from '../../packages/chandler/src/cloud/aws/testing.ts';

export const PLACE: PolicyPlace = {
  partition: 'aws',
  region: 'us-west-2',
  accountId: '111122223333',
  clusterName: 'playground',
};

/** As one document. */
export const POLICY: PolicyDocument = controllerPolicy({
  ...PLACE,
  nodeRoleArn: `arn:aws:iam::${PLACE.accountId}:role/KarpenterNodeRole-${PLACE.clusterName}`,
  queueArn: `arn:aws:sqs:${PLACE.region}:${PLACE.accountId}:${PLACE.clusterName}`,
});

/** Every action of every statement. */
export function actionsOf({
  Statement,
}: PolicyDocument): readonly (readonly [sid: string, action: string])[] {
  return Statement.flatMap(({ Sid = '', Action = [] }) =>
    [Action].flat().map((action) => [Sid, action] as const),
  );
}

export function withoutActionIn(policy: PolicyDocument, sid: string, action: string): PolicyDocument {
  const Statement = policy.Statement.flatMap((statement) => {
    if (statement.Sid !== sid) return [statement];
    const left = [statement.Action ?? []].flat().filter((each) => each !== action);
    return left.length === 0 ? [] : [{ ...statement, Action: left }];
  });
  return { ...policy, Statement };
}
