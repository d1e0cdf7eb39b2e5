/** Format checks of values that only AWS has. Each returns what is expected, or nothing for a valid value. */
import { isIP } from 'node:net';
import { rateNames } from '../wire/rate-buckets.ts';
import type { CallRate } from '../wire/rates.table.ts';

export function clusterNameProblem(text: string): string | undefined {
  return /^[0-9A-Za-z][-\w]{0,99}$/.test(text)
    ? undefined
    : 'the name of an EKS cluster: at most 100 letters, digits, - and _';
}

/** Users give the ARN or the URL; the name is the last part of both. */
export function queueNameProblem(text: string): string | undefined {
  if (/^[-\w]{1,80}$/.test(text)) return undefined;
  const name = /^(?:arn:.*:|https?:\/\/.*\/)([-\w]{1,80})$/.exec(text)?.[1];
  return name === undefined
    ? 'the name of an SQS queue'
    : `the name of an SQS queue and not its ARN or URL: ${name}`;
}

export function cidrProblem(text: string): string | undefined {
  const [address = '', length = '', ...rest] = text.split('/');
  const bits = { 4: 32, 6: 128 }[isIP(address)];
  const fits = bits !== undefined && /^\d{1,3}$/.test(length) && Number(length) <= bits && rest.length === 0;
  return fits ? undefined : 'a range of addresses such as 172.20.0.0/16';
}

/** `10/100`: tokens per second, and how many at once. */
export function parseCallRate(text: string): CallRate | undefined {
  const [, perSecond, burst] = /^(\d+(?:\.\d+)?)\/(\d+)$/.exec(text) ?? [];
  const rate = { perSecond: Number(perSecond), burst: Number(burst) };
  return rate.perSecond > 0 && rate.burst >= 1 ? rate : undefined;
}

export function callRatesProblem(rates: Readonly<Record<string, string>>): string | undefined {
  const names = new Set(rateNames());
  for (const [name, text] of Object.entries(rates)) {
    if (!names.has(name))
      return `names of buckets or actions, such as ec2:writes or ec2:CreateFleet (not ${JSON.stringify(name)})`;
    if (parseCallRate(text) === undefined)
      return `rates of the form PER_SECOND/BURST, such as 10/100, both above 0 (not ${name}=${text})`;
  }
  return undefined;
}
