/**
 * Messages about interruptions are handled at least once: a message is deleted only when the claims that it is about are being
 * deleted, and none waits for long once the faults have ended.
 */
import type { Check, MakeCheck, View } from '../../checks/check.ts';
import { Since } from '../../checks/disruption/facts.ts';
import type { ObservedObject } from '../../server-state/kube-state.ts';
import { awsOf } from '../aws-cloud.ts';

/** Less than a spot instance has left after its warning; an election may come before. */
const HANDLED_MS = 110_000;
/** For so long a warning waits for the claim of a launch in flight. */
const UNKNOWN_MS = 110_000;

export const messagesAreHandled: MakeCheck = (view): Check => {
  const server = awsOf(view.servers);
  const { clock } = view.servers.world;
  /** Claims that name their instance. */
  const named = new Since();
  const waiting = new Since();
  return {
    name: 'messages are handled',
    onKube({ kind, type, object }) {
      if (kind !== 'claims') return;
      const holds = type !== 'DELETED' && object.status?.providerID !== undefined;
      named.note(object.metadata.uid!, holds, clock.monotonic());
    },
    onArrival({ path, body }) {
      if (path !== 'sqs:DeleteMessage') return undefined;
      const message = server.queue.list().find(({ receipt }) => receipt === body.ReceiptHandle);
      const said = message === undefined ? undefined : interruptionOf(message.body);
      if (message === undefined || said === undefined) return undefined;
      for (const id of said.instanceIds) {
        const claim = livingClaim(view, id);
        if (claim === undefined) continue;
        const knownMs = named.forMs(claim.metadata.uid!, clock.monotonic());
        const isYoung = said.isWarning && clock.now() - message.sentMs < UNKNOWN_MS;
        if (claim.status?.providerID === undefined ? isYoung : knownMs > view.unseenMs)
          view.violated(
            this.name,
            `the message "${said.what}" about ${id} is deleted, and claim ${claim.metadata.name} is not`,
          );
      }
      return undefined;
    },
    periodically() {
      const now = new Set<string>();
      for (const { id, body } of view.phase === 'story' ? [] : server.queue.list()) {
        const said = interruptionOf(body);
        const left = said?.instanceIds.find((each) => livingClaim(view, each)?.status?.providerID);
        if (left === undefined) continue;
        now.add(id);
        waiting.note(id, true, clock.monotonic());
        if (waiting.forMs(id, clock.monotonic()) > HANDLED_MS)
          view.violated(this.name, `nobody has handled the message "${said?.what}" about ${left}`);
      }
      for (const id of waiting.keys()) if (!now.has(id)) waiting.note(id, false, 0);
    },
  };
};

// ---------------------------------------------------------------------------------------------------

interface Said {
  readonly what: string;
  readonly instanceIds: readonly string[];
  /** The instance still runs. */
  readonly isWarning: boolean;
}

/** Of messages after which a claim has to go. */
function interruptionOf(text: string): Said | undefined {
  let event: { 'detail-type'?: string; detail?: Record<string, unknown> };
  try {
    event = JSON.parse(text) as typeof event;
  } catch {
    return undefined;
  }
  const { 'detail-type': what = '', detail = {} } = event;
  const one = { what, instanceIds: [String(detail['instance-id'])] };
  if (/Interruption Warning$/.test(what)) return { ...one, isWarning: true };
  if (what === 'EC2 Instance State-change Notification')
    return /^(?:stopping|stopped|shutting-down|terminated)$/.test(String(detail['state']))
      ? { ...one, isWarning: false }
      : undefined;
  if (what !== 'AWS Health Event') return undefined;
  const entities = (detail['affectedEntities'] ?? []) as readonly { readonly entityValue: string }[];
  return { what, instanceIds: entities.map(({ entityValue }) => entityValue), isWarning: false };
}

/** Of the instance; undefined: it has none, or it is being deleted. */
function livingClaim({ kube, cloud }: View, instanceId: string): ObservedObject | undefined {
  const thing = cloud.list().find(({ id }) => id === instanceId);
  const uid = thing === undefined ? undefined : cloud.claimOf(thing);
  const claim =
    kube.list('claims').find(({ status }) => status?.providerID?.endsWith(`/${instanceId}`)) ??
    (uid === undefined ? undefined : kube.byUid('claims', uid));
  return claim?.metadata.deletionTimestamp === undefined ? claim : undefined;
}
