/** Resources of AWS by their IDs alone, as the journal has them. */
import type { AwsCalls } from '../../cloud/aws/account.ts';
import type { RecordedResource } from '../resource.ts';
import { recordedAccessEntry, recordedAssociation, recordedProvider } from './access.ts';
import { recordedTag } from './discovery.ts';
import { recordedQueue, recordedRule, recordedTarget } from './interruption.ts';
import { recordedAttachment, recordedInline, recordedRole } from './roles.ts';

/** Undefined for an ID of anything else. */
export function eksRecorded(id: string, calls: AwsCalls): RecordedResource | undefined {
  for (const [pattern, make] of KINDS) {
    const [, ...parts] = pattern.exec(id) ?? [];
    if (parts.length > 0) return make(parts, calls);
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------------------

type Make = (parts: readonly string[], calls: AwsCalls) => RecordedResource;

/** ARNs, and where AWS has none that is known before, the ARN of the owner and a path. */
const KINDS: readonly (readonly [RegExp, Make])[] = [
  [/^(arn:[\w-]+:iam::\d+:role\/[^/]+)$/, ([arn], { iam }) => recordedRole(arn!, iam)],
  [
    /^(arn:[\w-]+:iam::\d+:role\/[^/]+)\/inline\/([^/]+)$/,
    ([arn, name], { iam }) => recordedInline(arn!, name!, iam),
  ],
  [
    /^(arn:[\w-]+:iam::\d+:role\/[^/]+)\/attached\/(arn:.+)$/,
    ([arn, policy], { iam }) => recordedAttachment(arn!, policy!, iam),
  ],
  [/^(arn:[\w-]+:iam::\d+:oidc-provider\/.+)$/, ([arn], { iam }) => recordedProvider(arn!, iam)],
  [
    /^(arn:[\w-]+:eks:[\w-]+:\d+:cluster\/[^/]+)\/access-entries\/(arn:.+)$/,
    ([arn, principal], calls) => recordedAccessEntry(arn!, principal!, calls),
  ],
  [
    /^(arn:[\w-]+:eks:[\w-]+:\d+:cluster\/[^/]+)\/associations\/([^/]+)\/([^/]+)$/,
    ([arn, namespace, name], { eks }) => recordedAssociation(arn!, namespace!, name!, eks),
  ],
  [/^(arn:[\w-]+:sqs:[\w-]+:\d+:[\w-]+)$/, ([arn], { sqs }) => recordedQueue(arn!, sqs)],
  [/^(arn:[\w-]+:events:[\w-]+:\d+:rule\/[^/]+)$/, ([arn], { events }) => recordedRule(arn!, events)],
  [
    /^(arn:[\w-]+:events:[\w-]+:\d+:rule\/[^/]+)\/targets\/([^/]+)$/,
    ([arn, target], { events }) => recordedTarget(arn!, target!, events),
  ],
  [
    /^(arn:[\w-]+:ec2:[\w-]+:\d+:(?:subnet|security-group)\/[^/]+)\/tags\/(.+)$/,
    ([arn, key], { ec2 }) => recordedTag(arn!, key!, ec2),
  ],
];
