/**
 * What the controller may not do in Azure: which action on which scope. Read from the last words of a controller that does not start,
 * and from events about calls that belong to no launch. A launch that is denied has a row among the errors of Azure.
 */
import { missingPermission } from '../../../arm/index.ts';
import { type Cause, type EvidenceSet, type Match, seen, waitsForController } from '../../../causes/index.ts';
import { PERMISSION_MISSING } from '../../index.ts';
import { useOf } from '../permissions/index.ts';

const ANY_DENIAL = {
  layer: 'configuration',
  title: "The controller's identity lacks a permission in Azure",
  fix: 'Assign a role with {action} on {scope} to the identity of the controller. docs/azure-permissions.md has all actions; "chandler configure aks" assigns roles with them.',
  confirm: ['az role assignment list --assignee {identity} --all -o table'],
} as const satisfies Partial<Cause>;

const SUMMARY = 'The identity of the controller may not call {action} on {scope}. It is needed to {use}.';

export const AZURE_DENIED: readonly Cause[] = [
  {
    ...ANY_DENIAL,
    id: 'azure-controller.denied',
    specificity: 'exact',
    symptom: 'No replica of the controller is ready, and the last one says that Azure denied a call.',
    summary: `The controller does not start. ${SUMMARY}`,
    explains: ['configuration.controller-down'],
    breaksNodes: waitsForController,
    recognise: (evidence) => {
      const controller = evidence.first('controller');
      if (controller?.stopped === undefined || controller.replicas.ready > 0) return undefined;
      const { reason, message } = controller.stopped;
      const facts = factsOf(message);
      return facts && { facts, seen: [seen(controller, `${reason}: ${message}`)] };
    },
  },
  {
    ...ANY_DENIAL,
    id: 'azure-images.denied',
    specificity: 'exact',
    symptom: `The AKSNodeClass has no images, and the event ${PERMISSION_MISSING.reason}.`,
    summary: `AKSNodeClass {nodeClass} has no images. ${SUMMARY}`,
    explains: ['configuration.node-class-unseen', 'azure-call.denied'],
    recognise: (evidence) => {
      const found = deniedCall(evidence, IMAGES);
      const isWaiting = evidence
        .all('nodeClass')
        .some(({ conditions }) =>
          conditions.some(({ type, status }) => type === 'ImagesReady' && status === 'Unknown'),
        );
      return isWaiting ? found : undefined;
    },
  },
  {
    ...ANY_DENIAL,
    id: 'azure-call.denied',
    specificity: 'particular',
    symptom: `The AKSNodeClass has the event ${PERMISSION_MISSING.reason}.`,
    summary: SUMMARY,
    evenIfWell: true,
    explainedBy: ['azure.role-missing'],
    recognise: (evidence) => {
      const found = deniedCall(evidence, /./);
      return found && { ...found, weight: 'suspicious' };
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------

const IMAGES = /Galleries|\/images\//i;
/** By which an event may come later than its interval. */
const LATE_MS = 5 * 60_000;

/** The latest event about an action of this kind. */
function deniedCall(evidence: EvidenceSet, kind: RegExp): Match | undefined {
  const event = evidence
    .events('AKSNodeClass/', PERMISSION_MISSING.reason)
    .filter(({ message }) => kind.test(missingPermission(message)?.action ?? ''))
    .findLast(({ lastMs }) => evidence.ageMs(lastMs) <= PERMISSION_MISSING.repeatMs + LATE_MS);
  const facts = event && factsOf(event.message);
  if (event === undefined || facts === undefined) return undefined;
  const nodeClass = event.object.split('/').at(-1) ?? '';
  return {
    facts: { ...facts, nodeClass },
    seen: [{ where: event.object, what: `${event.reason}: ${event.message}`, atMs: event.lastMs }],
  };
}

function factsOf(text: string): Record<string, string> | undefined {
  const missing = missingPermission(text);
  if (missing === undefined) return undefined;
  const { action, scope } = missing;
  const identity = /with object id '([^']+)'/.exec(text)?.[1];
  const use = useOf(action) ?? 'do what the controller calls it for';
  return { action, scope, use, ...(identity === undefined ? {} : { identity }) };
}
