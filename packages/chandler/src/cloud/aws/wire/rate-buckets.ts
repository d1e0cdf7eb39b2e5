/** Which token buckets a call uses, and how many tokens of each. */
import { ACTIONS, type ActionRow, type AwsService, actionOf } from './actions.table.ts';
import { type CallRate, RATES, type RateRow, UNFILTERED_ACTIONS } from './rates.table.ts';

export interface RatedCall {
  readonly service: AwsService;
  /** As on the wire: `DescribeSubnets`. */
  readonly action: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The bucket of requests, and where an action has one, that of instances. */
export interface BucketChoice {
  readonly name: string;
  readonly requests: CallRate;
  readonly instances: CallRate | undefined;
  /** How many instances the call asks for. */
  readonly instanceCount: number;
}

export interface AwsRateOptions {
  /** How much of the limits this controller may use. Default 100. */
  readonly percent?: number | undefined;
  /** By name of a bucket or of an action: `ec2:writes`, `ec2:CreateFleet`, `ec2:TerminateInstances/instances`. */
  readonly overrides?: Readonly<Record<string, CallRate>> | undefined;
}

export function bucketOf(call: RatedCall, options: AwsRateOptions = {}): BucketChoice {
  const action = `${call.service}:${call.action}`;
  const rate = rateFor(options);
  const category = `${call.service}:${categoryOf(call)}`;
  // An override of the action holds for filtered and unfiltered requests.
  const named = options.overrides?.[action] !== undefined || action in RATES ? action : category;
  const row = (RATES as Readonly<Record<string, RateRow>>)[named];
  const requests = rate(named);
  if (requests === undefined) throw new Error(`no rate for ${named}`);
  return {
    name: row?.perAction ? `${action} ${category}` : named,
    requests,
    instances: rate(`${action}/instances`),
    instanceCount: instancesOf(call.input),
  };
}

/** Names that an override may have. */
export function rateNames(): readonly string[] {
  const services = Object.entries(ACTIONS);
  const actions = services.flatMap(([service, rows]) =>
    Object.keys(rows).map((method) => `${service}:${actionOf(method)}`),
  );
  return [...new Set([...Object.keys(RATES), ...actions])];
}

// ---------------------------------------------------------------------------------------------------------------

function rateFor({ percent = 100, overrides = {} }: AwsRateOptions) {
  return (name: string): CallRate | undefined => {
    const row = (RATES as Readonly<Record<string, CallRate>>)[name];
    const own = overrides[name];
    if (own !== undefined) return own;
    if (row === undefined) return undefined;
    const share = percent / 100;
    return { perSecond: row.perSecond * share, burst: Math.max(1, row.burst * share) };
  };
}

function categoryOf({ service, action, input }: RatedCall): 'reads' | 'unfiltered' | 'writes' {
  const rows = ACTIONS[service] as Readonly<Record<string, ActionRow>>;
  const method = action.charAt(0).toLowerCase() + action.slice(1);
  if (rows[method]?.writes !== false) return 'writes';
  if (service !== 'ec2' || !UNFILTERED_ACTIONS.has(action)) return 'reads';
  return Object.entries(input).some(([name, value]) => value !== undefined && name !== 'DryRun')
    ? 'reads'
    : 'unfiltered';
}

/** Dry runs launch nothing. */
function instancesOf({ DryRun, InstanceIds, MaxCount }: RatedCall['input']): number {
  if (DryRun === true) return 0;
  if (Array.isArray(InstanceIds)) return InstanceIds.length;
  return typeof MaxCount === 'number' ? MaxCount : 1;
}
