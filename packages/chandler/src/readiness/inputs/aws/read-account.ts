/**
 * The live account as an input of checks: read-only calls for what the files name, and for what belongs to the cluster. Everything becomes
 * a resource with the names that Terraform has, and the call as its place. A call that fails is noted; the others are made all the same.
 */
import type { AwsCalls, CallOptions } from '../../../cloud/aws/account.ts';
import { gatherFacts } from '../../facts/gather.ts';
import type { Inputs } from '../inputs.ts';
import type { Account } from './account.ts';
import { AccountReading, unreadAccount } from './account-reading.ts';
import { readCluster } from './cluster.ts';
import { readImages } from './images.ts';
import { readKeys } from './keys.ts';
import { readNetwork } from './network.ts';
import { readQueue } from './queue.ts';
import { readQuotas } from './quotas.ts';
import { readReservations, readVolumeEncryption } from './regional.ts';
import { readProfiles, readRoles } from './roles.ts';

export interface ReadAccountOptions extends CallOptions {
  readonly calls: AwsCalls;
  readonly clusterName: string;
  readonly nowMs: number;
}

/** @param inputs the files, which say what to ask for. @throws an error of the program, and the reason of the signal. */
export async function readAccount(
  inputs: Inputs,
  { calls, clusterName, signal, nowMs }: ReadAccountOptions,
): Promise<Account> {
  const reading = new AccountReading(calls, { signal });
  const facts = gatherFacts(inputs);
  const identity = await reading.ask('sts:GetCallerIdentity', (aws, options) =>
    aws.sts.getCallerIdentity({}, options),
  );
  if (!('found' in identity)) {
    const why = 'unread' in identity ? identity.unread : 'AWS does not know the caller';
    return { resources: [], live: unreadAccount(why, nowMs, 1) };
  }
  const { Account = '', Arn = '' } = identity.found;
  reading.add('sts:GetCallerIdentity', 'aws_caller_identity', 'current', { account_id: Account, arn: Arn });
  const [cluster, profiles] = await Promise.all([
    readCluster(reading, clusterName, facts),
    readProfiles(reading, facts),
  ]);
  await Promise.all([
    readNetwork(reading, cluster),
    readRoles(reading, facts, cluster, profiles, clusterName),
    readQueue(reading, facts).then((keys) => readKeys(reading, facts, keys)),
    readImages(reading, inputs, cluster),
    readQuotas(reading, inputs),
    readVolumeEncryption(reading),
    readReservations(reading),
  ]);
  return reading.end(nowMs);
}

/** No call has an answer: every check that needs one is skipped, and says why. */
export function noAccount(why: string, nowMs: number): Account {
  return { resources: [], live: unreadAccount(why, nowMs) };
}
