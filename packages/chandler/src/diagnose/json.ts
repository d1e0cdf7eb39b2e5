/** An explanation as plain data for programs: times as text, findings as the module causes writes them. */
import { withoutSecrets } from '@chandler/kube';
import { findingJson, LAYER_TEXTS } from '../causes/index.ts';
import type { Explanation } from './explain.ts';
import { timeText } from './text.ts';

export function explanationJson(explanation: Explanation): object {
  const { subject, verdict, standing, layers, cause, also, journey, read, unread, atMs } = explanation;
  const { nearestPools, otherPools, staying } = explanation;
  return {
    subject,
    at: timeText(atMs),
    verdict,
    standing: withoutSecrets(standing),
    layers: layers.map(({ layer, state, detail }) => ({
      number: LAYER_TEXTS[layer].number,
      layer,
      state,
      detail: withoutSecrets(detail),
    })),
    cause: cause === undefined ? null : findingJson(cause),
    also: also.map(findingJson),
    nearestPools: nearestPools.map(({ nodePool, reasons }) => ({
      nodePool,
      reasons: reasons.map(withoutSecrets),
    })),
    otherPools: otherPools.map(withoutSecrets),
    staying: staying.map(({ code, text, atMs: eventMs }) => ({
      code,
      text: withoutSecrets(text),
      ...(eventMs === undefined ? {} : { at: timeText(eventMs) }),
    })),
    journey: journey.map((step) => ({
      at: timeText(step.atMs),
      who: step.who,
      what: step.what,
      outcome: step.outcome,
      detail: withoutSecrets(step.detail),
    })),
    read: read.map((each) => ({ what: each.what, from: each.from, at: timeText(each.atMs) })),
    unread: unread.map(({ message, ...each }) => ({
      ...each,
      ...(message === undefined ? {} : { message: withoutSecrets(message) }),
    })),
  };
}
