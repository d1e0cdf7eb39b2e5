/** Approved certificate signing requests of the two client signers are signed with the server's own authority. */
import type { Stored } from '@chandler/kube';
import type { CertificateAuthority } from '@chandler/kube/tls';
import { type CertificateRequestSpec, signCertificateRequest } from '../edge/certificate-requests.ts';
import { timestamp } from '../rest/call.ts';
import type { Parts } from '../rest/parts.ts';
import { cloneJson } from '../storage/json.ts';

const KEY = 'certificatesigningrequests.certificates.k8s.io';

export class CertificateSigner {
  readonly #parts: Parts;
  readonly #authority: () => Promise<CertificateAuthority>;
  /** By uid: signing takes a moment, in which the request may change again. */
  readonly #underWay = new Set<string>();
  readonly #stop: () => void;

  constructor(parts: Parts, authority: () => Promise<CertificateAuthority>) {
    this.#parts = parts;
    this.#authority = authority;
    this.#stop = parts.store.subscribe(KEY, ({ type, item }) => {
      if (type !== 'DELETED') this.#consider(item.object);
    });
    for (const item of parts.store.list(KEY)) this.#consider(item.object);
  }

  close(): void {
    this.#stop();
  }

  #consider(request: Stored): void {
    const uid = request.metadata.uid;
    if (!isWaiting(request) || this.#underWay.has(uid)) return;
    this.#underWay.add(uid);
    void this.#sign(request).finally(() => this.#underWay.delete(uid));
  }

  async #sign(request: Stored): Promise<void> {
    const { store, world } = this.#parts;
    const spec = request['spec'] as CertificateRequestSpec;
    const name = request.metadata.name;
    try {
      const outcome = await signCertificateRequest(await this.#authority(), spec);
      const latest = store.get(KEY, '', name);
      if ('ignored' in outcome || latest?.object.metadata.uid !== request.metadata.uid) return;
      const next = cloneJson(latest!.object);
      const status = (next['status'] ?? {}) as Status;
      next['status'] =
        'failure' in outcome
          ? {
              ...status,
              conditions: [...(status.conditions ?? []), failed(outcome.failure, timestamp(world))],
            }
          : { ...status, certificate: Buffer.from(outcome.certificatePem).toString('base64') };
      store.update(KEY, next);
    } catch (error) {
      world.log.error('a certificate could not be signed', { request: name, error: String(error) });
    }
  }
}

// ---------------------------------------------------------------------------------------------------

interface Status {
  readonly certificate?: string;
  readonly conditions?: readonly object[];
}

function isWaiting(request: Stored): boolean {
  const status = (request['status'] ?? {}) as Status;
  const types = (status.conditions ?? []).map((condition) => (condition as { type: string }).type);
  return status.certificate === undefined && types.includes('Approved') && !types.includes('Failed');
}

function failed(message: string, now: string): object {
  return {
    type: 'Failed',
    status: 'True',
    reason: 'SignerValidationFailure',
    message,
    lastUpdateTime: now,
    lastTransitionTime: now,
  };
}
