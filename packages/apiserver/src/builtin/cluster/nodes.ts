/** Nodes and namespaces. */
import type { V1Namespace, V1Node, V1Taint } from '@kubernetes/client-node';
import { internalValue } from '../internal/layout.ts';
import { checkResourceAmount } from '../pods/validate-resources.ts';
import { TAINT_EFFECTS } from '../pods/validate-scheduling.ts';
import type { KindRules } from '../rules.ts';
import { isCidr, isIpv4Address } from '../validation/addresses.ts';
import { type FieldErrors, sameValue } from '../validation/field-errors.ts';
import { checkLabelKey } from '../validation/labels.ts';
import { labelName, labelValue, qualifiedName } from '../validation/names.ts';

export const nodeRules: KindRules = {
  revalidatesMetadata: true,
  generation: false,
  keepsStatusOnCreate: true,
  defaults: (object) => {
    const node = object as unknown as V1Node;
    node.status ??= {};
    const status = node.status;
    // Allocatable equals capacity by default.
    if (status.allocatable === undefined && status.capacity !== undefined)
      status.allocatable = { ...status.capacity };
    node.spec ??= {};
    const spec = node.spec;
    if (spec.podCIDR !== undefined && spec.podCIDRs === undefined) spec.podCIDRs = [spec.podCIDR];
    else if (spec.podCIDRs !== undefined && spec.podCIDR === undefined) spec.podCIDR = spec.podCIDRs[0]!;
  },
  prepareForCreate: (object) => {
    // A removed feature; the field is still read, and dropped.
    delete (object as unknown as V1Node).spec!.configSource;
  },
  validate: (object, errors) => {
    const node = object as unknown as V1Node;
    checkTaints(node.spec?.taints, errors);
    checkNodeResources(node, errors);
    checkPodRanges(node, errors);
  },
  prepareForUpdate: (next, current, context) => {
    if (context.subresource === 'status') return;
    // The kubelet may still set its last condition through the node itself only while it creates it.
    next['status'] = current['status'];
  },
  validateUpdate: (next, current, errors) =>
    checkNodeUpdate(next as unknown as V1Node, current as unknown as V1Node, errors),
  validateStatus: (next, current, errors) => {
    checkNodeUpdate(next as unknown as V1Node, current as unknown as V1Node, errors);
  },
};

export const namespaceRules: KindRules = {
  name: labelName,
  generation: false,
  keepsStatusOnCreate: true,
  allowUnconditionalUpdate: true,
  defaults: (object) => {
    const { name } = object.metadata;
    if (name !== undefined && name !== '') {
      object.metadata.labels ??= {};
      object.metadata.labels['kubernetes.io/metadata.name'] = name;
    }
  },
  prepareForCreate: (object) => {
    const namespace = object as unknown as V1Namespace;
    namespace.status = { phase: 'Active' };
    namespace.spec ??= {};
    namespace.spec.finalizers ??= [];
    const finalizers = namespace.spec.finalizers;
    if (!finalizers.includes('kubernetes')) finalizers.push('kubernetes');
    if (object.metadata.name) {
      object.metadata.labels = {
        ...object.metadata.labels,
        'kubernetes.io/metadata.name': object.metadata.name,
      };
    }
  },
  prepareForUpdate: (next, current, context) => {
    if (context.subresource === 'finalize') next['status'] = current['status'];
    else if (context.subresource === undefined) next['spec'] = current['spec'];
  },
  validate: (object, errors) => {
    for (const finalizer of (object as unknown as V1Namespace).spec?.finalizers ?? []) {
      errors.invalidFor('spec.finalizers', finalizer, qualifiedName(finalizer));
      if (!finalizer.includes('/') && !STANDARD_FINALIZERS.has(finalizer)) {
        errors.invalid(
          'spec.finalizers',
          finalizer,
          'name is neither a standard finalizer name nor is it fully qualified',
        );
      }
    }
  },
  validateStatus: (next, _current, errors) => {
    const phase = (next as unknown as V1Namespace).status?.phase ?? '';
    const deleted = next.metadata.deletionTimestamp !== undefined;
    if (!deleted && phase !== 'Active') {
      errors.invalid('status.Phase', phase, "may only be 'Active' if `deletionTimestamp` is empty");
    } else if (deleted && phase !== 'Terminating') {
      errors.invalid('status.Phase', phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
    }
  },
};

// ---------------------------------------------------------------------------------------------------

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);
/** The path of the taints in the errors of a real server. */
const TAINTS_PATH = 'metadata.taints';

function checkTaints(taints: readonly V1Taint[] | undefined, errors: FieldErrors): void {
  const seen = new Set<string>();
  (taints ?? []).forEach((taint, index) => {
    const at = `${TAINTS_PATH}[${index}]`;
    checkLabelKey(taint.key, `${at}.key`, errors);
    const messages = labelValue(taint.value ?? '');
    if (messages.length > 0) errors.invalid(`${at}.value`, taint.value, messages.join(';'));
    if (!taint.effect) errors.required(`${at}.effect`);
    else if (!(TAINT_EFFECTS as readonly string[]).includes(taint.effect)) {
      errors.notSupported(`${at}.effect`, taint.effect, TAINT_EFFECTS);
    }
    const key = `${taint.effect}/${taint.key}`;
    if (seen.has(key))
      errors.duplicate(
        at,
        internalValue('core.Taint', taint),
        'taints must be unique by key and effect pair',
      );
    seen.add(key);
  });
}

function checkNodeResources(node: V1Node, errors: FieldErrors): void {
  for (const part of ['capacity', 'allocatable'] as const) {
    const amounts = node.status?.[part];
    for (const name in amounts) checkResourceAmount(name, amounts[name]!, `status.${part}.${name}`, errors);
  }
}

function checkPodRanges(node: V1Node, errors: FieldErrors): void {
  const ranges = node.spec?.podCIDRs ?? [];
  ranges.forEach((range, index) => {
    if (!isCidr(range)) {
      errors.invalid(
        `spec.podCIDRs[${index}]`,
        range,
        'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      );
    }
  });
  if (ranges.length < 2) return;
  const broken = ranges.findIndex((range) => !isCidr(range));
  if (broken >= 0) {
    errors.list.push({
      reason: 'InternalError',
      field: 'spec.podCIDRs',
      detail: `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${broken}]: <nil> (invalid CIDR address: ${ranges[broken]})`,
    });
  }
  const families = new Set(ranges.map((range) => isIpv4Address(range.split('/')[0])));
  if (ranges.length > 2 || families.size < 2) {
    errors.invalid('spec.podCIDRs', ranges, 'may specify no more than one CIDR for each IP family');
  }
}

function checkNodeUpdate(next: V1Node, current: V1Node, errors: FieldErrors): void {
  checkNodeResources(next, errors);
  const seen = new Set<string>();
  (next.status?.addresses ?? []).forEach((address, index) => {
    const key = `${address.type}/${address.address}`;
    if (seen.has(key)) errors.duplicate(`status.addresses[${index}]`, address);
    seen.add(key);
  });
  const ranges = current.spec?.podCIDRs ?? [];
  if (ranges.length > 0 && !sameValue(ranges, next.spec?.podCIDRs)) {
    errors.forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid');
  }
  const provider = current.spec?.providerID;
  if (provider && provider !== next.spec?.providerID) {
    errors.forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid');
  }
  checkTaints(next.spec?.taints, errors);
}
