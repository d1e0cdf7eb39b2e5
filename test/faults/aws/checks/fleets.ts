/**
 * What a launch may ask for: no type and zone of which EC2 has just said that it has none, and no launch template that the
 * controller has deleted. A request that had no answer is sent again as it was.
 */
import type { Check, MakeCheck } from '../../checks/check.ts';
import type { AwsBody } from '../aws-call.ts';
import { awsOf } from '../aws-cloud.ts';

/** Shorter than the time for which an offering counts as unavailable. */
const UNAVAILABLE_MS = 150_000;
/** From the plan of a launch to its request. */
const PLANNED_MS = 10_000;
const CREATE = 'ec2:CreateFleet';

export const unavailableIsNotTried: MakeCheck = (view): Check => {
  const { clock } = view.servers.world;
  /** By process and offering: when it learned that there is none. */
  const learnedMs = new Map<string, number>();
  const tokens = new Set<string>();
  const { account } = awsOf(view.servers);
  /** Of the template of this name or ID. What is reserved is there also when there is no more of the type. */
  const isReserved = (template: string) => {
    const record = account.templateNamed(template) ?? account.launchTemplates.get(template);
    const { CapacityReservationSpecification: reservation } = record?.data ?? {};
    return reservation?.CapacityReservationTarget !== undefined;
  };
  return {
    name: 'what is unavailable is not tried again',
    onSend({ process, path, body, writes }) {
      if (path !== CREATE || !writes) return;
      const token = `${process} ${body.ClientToken}`;
      if (tokens.has(token)) return;
      tokens.add(token);
      const graceMs = PLANNED_MS + view.unseenMs;
      for (const offering of offeringsOf(body, isReserved)) {
        const sinceMs = clock.monotonic() - (learnedMs.get(`${process} ${offering}`) ?? Number.NaN);
        if (sinceMs > graceMs && sinceMs < UNAVAILABLE_MS)
          view.violated(
            this.name,
            `${process} asks for ${offering} ${Math.round(sinceMs / 1000)} s after EC2 had none`,
          );
      }
    },
    onAnswer({ process, path, body, writes }, status, _headers, text = '') {
      if (path !== CREATE || !writes || status !== 200) return;
      for (const offering of refusedIn(text, capacityOf(body), isReserved)) {
        const key = `${process} ${offering}`;
        const nowMs = clock.monotonic();
        if (!(nowMs - (learnedMs.get(key) ?? Number.NaN) < UNAVAILABLE_MS)) learnedMs.set(key, nowMs);
      }
    },
  };
};

export const usedTemplatesAreKept: MakeCheck = (view): Check => {
  const { account } = awsOf(view.servers);
  const deleted = new Map<string, string>();
  return {
    name: 'launch templates in use are kept',
    onArrival({ process, path, body, writes }) {
      if (path === 'ec2:DeleteLaunchTemplate') deleted.set(body.LaunchTemplateName, process);
      if (path === 'ec2:CreateLaunchTemplate') deleted.delete(body.LaunchTemplateName);
      if (path !== CREATE || !writes) return undefined;
      for (let at = 1; ; at++) {
        const name = body[`LaunchTemplateConfigs.${at}.LaunchTemplateSpecification.LaunchTemplateName`];
        if (name === undefined) return undefined;
        const by = deleted.get(name);
        if (by !== undefined && account.templateNamed(name) === undefined)
          view.violated(this.name, `${process} launches from ${name}, which ${by} has deleted`);
      }
    },
  };
};

// ---------------------------------------------------------------------------------------------------

function capacityOf(body: AwsBody): string {
  return String(body['TargetCapacitySpecification.DefaultTargetCapacityType']);
}

/** `m5.large subnet-1 spot`. */
function offeringsOf(body: AwsBody, isReserved: (template: string) => boolean): readonly string[] {
  const found: string[] = [];
  for (const [key, type] of Object.entries(body)) {
    const [override, config] =
      /^(LaunchTemplateConfigs\.\d+\.)Overrides\.\d+\.(?=InstanceType$)/.exec(key) ?? [];
    if (override === undefined) continue;
    const template = String(body[`${config}LaunchTemplateSpecification.LaunchTemplateName`]);
    if (!isReserved(template)) found.push(`${type} ${body[`${override}SubnetId`]} ${capacityOf(body)}`);
  }
  return found;
}

/** Without what a capacity reservation refused: that says nothing of the type outside of it. */
function refusedIn(
  text: string,
  capacity: string,
  isReserved: (template: string) => boolean,
): readonly string[] {
  return [
    ...text.matchAll(/<item>(?:(?!<\/item>).)*<errorCode>(\w+)<\/errorCode>(?:(?!<\/item>).)*<\/item>/gs),
  ]
    .filter(([, code]) => code === 'InsufficientInstanceCapacity' || code === 'UnfulfillableCapacity')
    .map(
      ([item]) =>
        (name: string) =>
          new RegExp(`<${name}>([^<]+)</${name}>`).exec(item)?.[1],
    )
    .filter((value) => !isReserved(value('launchTemplateId') ?? ''))
    .map((value) => `${value('instanceType')} ${value('subnetId')} ${capacity}`);
}
