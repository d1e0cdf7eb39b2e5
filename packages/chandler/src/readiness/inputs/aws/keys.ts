/** Keys of KMS that classes and the queue name: their state, and who may use them. */
import { type Facts, knownValues } from '../../facts/facts.ts';
import type { AccountReading } from './account-reading.ts';

const MAX_KEYS = 3;

/** @param more keys that are not in files. */
export async function readKeys(
  reading: AccountReading,
  facts: Facts,
  more: readonly string[],
): Promise<void> {
  const named = knownValues(facts.from('kmsKeyArn', 'manifest')).filter((key) => !/[<{$]/.test(key));
  const keys = [...new Set([...named, ...more])].slice(0, MAX_KEYS);
  await Promise.all(keys.map((key) => readKey(reading, key)));
}

// ---------------------------------------------------------------------------------------------------------------

async function readKey(reading: AccountReading, KeyId: string): Promise<void> {
  const answer = await reading.ask('kms:DescribeKey', (aws, options) =>
    aws.kms.describeKey({ KeyId }, options),
  );
  if ('missing' in answer) reading.addAbsent('kms:DescribeKey', 'aws_kms_key', KeyId);
  if ('unread' in answer) reading.skip(['kms:GetKeyPolicy'], answer.unread);
  const key = 'found' in answer ? answer.found.KeyMetadata : undefined;
  if (key === undefined) return;
  const policy = await reading.ask('kms:GetKeyPolicy', (aws, options) =>
    aws.kms.getKeyPolicy({ KeyId: key.KeyId ?? KeyId, PolicyName: 'default' }, options),
  );
  reading.add('kms:DescribeKey', 'aws_kms_key', KeyId, {
    id: key.KeyId,
    arn: key.Arn,
    key_state: key.KeyState,
    key_usage: key.KeyUsage,
  });
  if ('found' in policy)
    reading.add('kms:GetKeyPolicy', 'aws_kms_key_policy', KeyId, {
      key_id: key.KeyId,
      arn: key.Arn,
      policy: policy.found.Policy,
    });
}
