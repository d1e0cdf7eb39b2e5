/** What every part of the simulated AWS shares. Resources are in `account`, timers in `schedule`. */
import type { World } from '@chandler/kube';
import type { Schedule } from '../schedule.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import type { FaultRegister } from './faults/fault.ts';
import type { Access } from './iam/access.ts';
import type { AwsSettings } from './settings.ts';
import type { Account } from './store/account.ts';
import type { Authentication } from './wire/authentication.ts';
import type { CallLog } from './wire/call-log.ts';
import type { Latencies } from './wire/latencies.ts';

export { type AwsSettings, ec2Arn, oidcProviderArn, queueArn, type Zone } from './settings.ts';

export interface AwsContext {
  readonly world: World;
  readonly settings: AwsSettings;
  readonly latencies: Latencies;
  readonly schedule: Schedule;
  readonly faults: FaultRegister;
  readonly calls: CallLog;
  readonly access: Access;
  readonly authentication: Authentication;
  readonly account: Account;
  readonly catalogue: Catalogue;
  /** `http://127.0.0.1:port`, or a placeholder name when only in process. */
  readonly baseUrl: () => string;
}
