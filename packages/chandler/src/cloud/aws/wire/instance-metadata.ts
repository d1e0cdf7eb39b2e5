/**
 * The metadata service of the EC2 instance that the controller runs on, version 2. In a pod it answers only where the hop limit of the
 * instance is 2 or the pod uses the network of its host, so that no answer is an ordinary outcome.
 */
import type { Fetch, World } from '@chandler/kube';
import { AwsError, BAD_ANSWER, NO_ANSWER } from '../errors/index.ts';
import { boundedFetch } from './bounded-fetch.ts';

export interface InstanceMetadataOptions {
  readonly world: Pick<World, 'clock'>;
  readonly fetch: Fetch;
  /** Default: the address that every instance has. */
  readonly endpoint?: string | undefined;
  /** Of one request. Default 2 s: the service is on the same machine. */
  readonly timeoutMs?: number | undefined;
}

export const METADATA_ENDPOINT = 'http://169.254.169.254';

export class InstanceMetadata {
  readonly #options: InstanceMetadataOptions;
  #token: { readonly value: string; readonly untilMs: number } | undefined;

  constructor(options: InstanceMetadataOptions) {
    this.#options = options;
  }

  /** `placement/region`. @throws {AwsError}, NO_ANSWER also where there is no such service. */
  async get(item: string, signal: AbortSignal): Promise<string> {
    const path = `/latest/meta-data/${item}`;
    const answer = await this.#ask(
      path,
      {
        method: 'GET',
        headers: { 'x-aws-ec2-metadata-token': await this.#freshToken(signal) },
      },
      signal,
    );
    if (answer.status === 401) this.#token = undefined;
    if (answer.status === 200) return answer.text.trim();
    throw refusal(path, answer.status);
  }

  async #freshToken(signal: AbortSignal): Promise<string> {
    const { clock } = this.#options.world;
    if (this.#token !== undefined && clock.monotonic() < this.#token.untilMs) return this.#token.value;
    const path = '/latest/api/token';
    const headers = { 'x-aws-ec2-metadata-token-ttl-seconds': String(TOKEN_TTL_S) };
    const { status, text } = await this.#ask(path, { method: 'PUT', headers }, signal);
    if (status !== 200 || text.trim() === '' || text.includes('<')) throw refusal(path, status);
    this.#token = { value: text.trim(), untilMs: clock.monotonic() + (TOKEN_TTL_S / 2) * 1000 };
    return this.#token.value;
  }

  #ask(
    path: string,
    init: { readonly method: string; readonly headers: Record<string, string> },
    signal: AbortSignal,
  ) {
    const { world, fetch, endpoint = METADATA_ENDPOINT, timeoutMs = 2_000 } = this.#options;
    const name = `${init.method} ${path}`;
    return boundedFetch(
      { world, fetch, timeoutMs, name },
      `${endpoint.replace(/\/+$/, '')}${path}`,
      init,
      signal,
    );
  }
}

// ---------------------------------------------------------------------------------------------------------------

const TOKEN_TTL_S = 21_600;

function refusal(path: string, status: number): AwsError {
  const message = `${path}: the metadata service answered ${status}`;
  // What answers 403 or 404 here may be disabled, or be no metadata service at all.
  return new AwsError({ code: status < 400 ? BAD_ANSWER : NO_ANSWER, message, status });
}
