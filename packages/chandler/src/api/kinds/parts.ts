/**
 * Pieces that several kinds are made of: requirements, taints, references, resource lists, conditions.
 */
import type { Condition } from '../conditions/condition-set.ts';
import { TAINT_EFFECTS } from '../labels.ts';
import {
  choice,
  integer,
  intOrString,
  list,
  map,
  object,
  optional,
  type Rule,
  type Schema,
  type Static,
  text,
} from '../schema/schema.ts';
import { keyRules } from './label-rules.ts';
import {
  CONDITION_TYPE,
  DURATION,
  DURATION_OR_NEVER,
  LABEL_VALUE,
  QUALIFIED_NAME,
  QUANTITY,
} from './patterns.ts';

export const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte'] as const;

/** How a requirement's values are compared with a node's label. */
export type Operator = (typeof OPERATORS)[number];

/** Resource amounts by resource name, as quantities. */
export type ResourceList = Record<string, string | number>;

export function resourceList(
  description: string,
  rules: readonly Rule[] = [],
): Schema<ResourceList, 'required'> {
  const amount = intOrString('An amount of the resource, as a quantity.', { pattern: QUANTITY });
  return map(description, amount, { rules });
}

/** Requirements as a NodePool and a NodeClaim state them. */
export function requirementList(where: 'NodePool' | 'NodeClaim') {
  const requirement = object('A requirement on the labels of a node.', {
    ...requirementFields(where),
    minValues: optional(
      integer('The minimum number of different values of this label among the selected instance types.', {
        format: 'none',
        minimum: 1,
        maximum: 50,
      }),
    ),
  });
  return list('Requirements that every node must meet. They are ANDed.', requirement, {
    listType: 'atomic',
    maxItems: 100,
    rules: [
      hasValue('In'),
      numeric("'Gt', 'Lt', 'Gte', or 'Lte'"),
      {
        message:
          "requirements with 'minValues' must have at least that many values specified in the 'values' field",
        rule: "self.all(r, r.operator != 'In' || !has(r.minValues) || (has(r.values) && r.values.size() >= r.minValues))",
      },
    ],
  });
}

export type Requirement = Static<ReturnType<typeof requirementList>>[number];

/** Requirements as a NodeOverlay states them: without minValues. */
export function overlayRequirementList() {
  const requirement = object(
    'A requirement on the labels of an instance type.',
    requirementFields('NodeOverlay'),
  );
  return list(
    'Requirements that an instance type must meet for this overlay to apply. They are ANDed.',
    requirement,
    {
      listType: 'atomic',
      maxItems: 100,
      rules: [hasValue('NotIn'), hasValue('In'), numeric("'Gt', 'Lt', 'Gte' or 'Lte'")],
    },
  );
}

/** A requirement as a node class reports it for an image: computed, so not checked again. */
export const reportedRequirement = object('A requirement on the labels of a node.', {
  key: text('The label.'),
  operator: text('How the values are compared with the label.'),
  values: optional(list('The values to compare with.', text('A value.'), { listType: 'atomic' })),
});
export type ReportedRequirement = Static<typeof reportedRequirement>;

const taint = object('A taint repels pods that do not tolerate it.', {
  // A domain of 253, a slash, a name of 63.
  key: text('The name of the taint.', { minLength: 1, maxLength: 317, pattern: QUALIFIED_NAME }),
  value: optional(text('The value of the taint.', { maxLength: 63, pattern: LABEL_VALUE })),
  effect: choice('What happens to pods that do not tolerate the taint.', TAINT_EFFECTS),
  timeAdded: optional(text('When the taint was added to the node.', { format: 'date-time' })),
});
export type Taint = Static<typeof taint>;

/** The fields that the template of a NodePool and the spec of a NodeClaim have in common, besides requirements. */
export const taints = list('Taints of the node.', taint, { listType: 'atomic' });
export const startupTaints = list(
  'Taints that a node has when it starts and that another component removes, such as a CNI agent. Pods need not tolerate them.',
  taint,
  { listType: 'atomic' },
);

export const expireAfter = text(
  'The maximum age of a node before it is replaced, whatever pods run on it; Never disables expiration.',
  { pattern: DURATION_OR_NEVER, default: '720h' },
);

export const terminationGracePeriod = text(
  'The maximum time to drain a node before its remaining pods are deleted. Without it, draining has no time limit.',
  { pattern: DURATION },
);

/** Where to find the cloud's side of the configuration. On a NodePool group and kind may not change. */
export function nodeClassReference(immutable: boolean) {
  const fixed = (field: string): Rule => ({
    message: `nodeClassRef.${field} is immutable`,
    rule: `self.${field} == oldSelf.${field}`,
  });
  return object(
    'The node class with the settings of the cloud provider.',
    {
      group: text('The API group of the node class.', { pattern: '^[^/]*$', rules: [nonEmpty('group')] }),
      kind: text('The kind of the node class.', { rules: [nonEmpty('kind')] }),
      name: text('The name of the node class.', { rules: [nonEmpty('name')] }),
    },
    { rules: immutable ? [fixed('group'), fixed('kind')] : [] },
  );
}
export type NodeClassReference = Static<ReturnType<typeof nodeClassReference>>;

/** Status conditions; NodeClaims of old versions have conditions without reason and message. */
export function conditions(reason: 'demanded' | 'may be empty' = 'demanded') {
  const fields = {
    type: text('The type of the condition.', { maxLength: 316, pattern: CONDITION_TYPE }),
    status: choice('The status of the condition: True, False or Unknown.', ['True', 'False', 'Unknown']),
    lastTransitionTime: text('When the status last changed.', { format: 'date-time' }),
    observedGeneration: optional(
      integer('The generation of the object for which the condition was determined.', {
        format: 'int64',
        minimum: 0,
      }),
    ),
  };
  const message = text('A human-readable message.', { maxLength: 32768 });
  const cause = text('The reason for the status, as one machine-readable word.', {
    ...(reason === 'demanded' ? { minLength: 1 } : {}),
    maxLength: 1024,
    pattern:
      reason === 'demanded'
        ? '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$'
        : '^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?|)$',
  });
  const item: Schema<Condition> =
    reason === 'demanded'
      ? object('One aspect of the state of the object.', { ...fields, reason: cause, message })
      : object('One aspect of the state of the object.', {
          ...fields,
          reason: optional(cause),
          message: optional(message),
        });
  return list('The conditions of the object.', item, {
    listType: 'map',
    keys: ['type'],
  });
}

// ---------------------------------------------------------------------------------------------------------------

function requirementFields(where: 'NodePool' | 'NodeClaim' | 'NodeOverlay') {
  return {
    key: text('The label that the requirement applies to.', {
      maxLength: 316,
      pattern: QUALIFIED_NAME,
      rules: keyRules(where),
    }),
    operator: choice('How the values are compared with the label.', OPERATORS),
    values: optional(
      list(
        'The values to compare with: at least one for In, exactly one whole number for Gt, Lt, Gte and Lte.',
        text('A label value.', { maxLength: 63, pattern: LABEL_VALUE }),
        { listType: 'atomic' },
      ),
    ),
  };
}

function hasValue(operator: 'In' | 'NotIn'): Rule {
  return {
    message: `requirements with operator '${operator}' must have a value defined`,
    rule: `self.all(r, r.operator != '${operator}' || (has(r.values) && r.values.size() != 0))`,
  };
}

/** `names` as the message lists them. Eighteen digits always fit into 64 bits. */
function numeric(names: string): Rule {
  return {
    message: `requirements operator ${names} must have a single positive integer value`,
    rule: "self.all(r, !(r.operator in ['Gt', 'Lt', 'Gte', 'Lte']) || (has(r.values) && r.values.size() == 1 && r.values[0].matches('^[0-9]{1,18}$')))",
  };
}

function nonEmpty(field: string): Rule {
  return { message: `${field} may not be empty`, rule: "self != ''" };
}
