/** The containers of a pod: names, images, ports, environment, mounts, probes and handlers. */
import type { V1Container, V1ContainerPort, V1Lifecycle, V1Probe } from '@kubernetes/client-node';
import type { FieldErrors } from '../validation/field-errors.ts';
import { labelName, portName, portNumber } from '../validation/names.ts';
import { checkEnvironment } from './validate-environment.ts';
import { checkHandler, checkProbe } from './validate-handlers.ts';
import { checkDevices, checkMounts } from './validate-mounts.ts';
import { checkResources } from './validate-resources.ts';
import { checkSecurityContext } from './validate-security.ts';

/** What the rules of a container need to know of its pod. */
export interface ContainerContext {
  /** Valid volumes, by name. */
  readonly volumes: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly claims: ReadonlySet<string>;
  readonly gracePeriodSeconds: number | undefined;
  readonly restartPolicy: string | undefined;
  readonly os: string | undefined;
}

export function checkContainers(
  containers: readonly V1Container[] | undefined | null,
  context: ContainerContext,
  path: string,
  errors: FieldErrors,
): void {
  if (!containers || containers.length === 0) {
    errors.required(path);
    return;
  }
  const names = new Set<string>();
  for (let index = 0; index < containers.length; index++) {
    const container = containers[index]!;
    const at = `${path}[${index}]`;
    checkContainer(container, context, at, errors);
    if (names.has(container.name)) errors.duplicate(`${at}.name`, container.name);
    names.add(container.name);
    checkLifecycle(container.lifecycle, context, `${at}.lifecycle`, errors);
    checkProbes(container, context, at, errors);
    checkRestartRules(container, at, errors);
  }
  checkHostPorts(containers, path, errors);
}

export function checkInitContainers(
  containers: readonly V1Container[] | undefined,
  regular: readonly V1Container[],
  context: ContainerContext,
  path: string,
  errors: FieldErrors,
): void {
  if (containers === undefined) return;
  const names = new Set(regular.map(({ name }) => name));
  containers.forEach((container, index) => {
    const at = `${path}[${index}]`;
    checkContainer(container, context, at, errors);
    checkRestartRules(container, at, errors);
    if (names.has(container.name)) errors.duplicate(`${at}.name`, container.name);
    else if (container.name) names.add(container.name);
    checkHostPorts([container], path, errors);
    const sidecar = container.restartPolicy === 'Always';
    if (sidecar) {
      checkLifecycle(container.lifecycle, context, `${at}.lifecycle`, errors);
      checkProbes(container, context, at, errors);
      return;
    }
    for (const field of SIDECAR_FIELDS) {
      if (container[field] === undefined) continue;
      errors.forbidden(`${at}.${field}`, 'may not be set for init containers without restartPolicy=Always');
    }
    (container.resizePolicy ?? []).forEach(({ restartPolicy }, position) => {
      if (restartPolicy !== 'RestartContainer') return;
      errors.invalid(
        `${at}.resizePolicy[${position}].restartPolicy`,
        restartPolicy,
        "must not be set to 'RestartContainer' for non-sidecar initContainers",
      );
    });
  });
}

/** What holds for containers of every sort. */
export function checkContainer(
  container: V1Container,
  context: ContainerContext,
  path: string,
  errors: FieldErrors,
): void {
  if (!container.name) errors.required(`${path}.name`);
  else errors.invalidFor(`${path}.name`, container.name, labelName(container.name));
  if (!container.image) errors.required(`${path}.image`);
  errors.oneOf(`${path}.terminationMessagePolicy`, container.terminationMessagePolicy, MESSAGE_POLICIES);
  if (container.ports !== undefined) checkPorts(container.ports, `${path}.ports`, errors);
  checkEnvironment(container, path, errors);
  if (container.volumeMounts !== undefined)
    checkMounts(container, context.volumes, `${path}.volumeMounts`, errors);
  if (container.volumeDevices !== undefined)
    checkDevices(container, context.volumes, `${path}.volumeDevices`, errors);
  errors.oneOf(`${path}.imagePullPolicy`, container.imagePullPolicy, PULL_POLICIES);
  checkResources(container.resources, context.claims, `${path}.resources`, errors);
  if (container.resizePolicy !== undefined)
    checkResizePolicy(container, context, `${path}.resizePolicy`, errors);
  checkSecurityContext(container.securityContext, `${path}.securityContext`, errors);
}

// ---------------------------------------------------------------------------------------------------

const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const RESTART_POLICIES = ['Always', 'Never', 'OnFailure'];
const RESTART_ACTIONS = ['Restart', 'RestartAllContainers'];
const EXIT_CODE_OPERATORS = ['In', 'NotIn'];
const SIDECAR_FIELDS = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

function checkProbes(
  container: V1Container,
  context: ContainerContext,
  at: string,
  errors: FieldErrors,
): void {
  checkOneProbe(container.livenessProbe, 'livenessProbe', context, at, errors);
  checkOneProbe(container.readinessProbe, 'readinessProbe', context, at, errors);
  checkOneProbe(container.startupProbe, 'startupProbe', context, at, errors);
}

function checkOneProbe(
  probe: V1Probe | undefined,
  field: (typeof SIDECAR_FIELDS)[number],
  context: ContainerContext,
  at: string,
  errors: FieldErrors,
): void {
  if (probe === undefined) return;
  const path = `${at}.${field}`;
  checkProbe(probe, context.gracePeriodSeconds, path, errors);
  if (field === 'readinessProbe') {
    if (probe.terminationGracePeriodSeconds !== undefined) {
      errors.invalid(
        `${path}.terminationGracePeriodSeconds`,
        probe.terminationGracePeriodSeconds,
        'must not be set for readinessProbes',
      );
    }
  } else if (probe.successThreshold !== 1) {
    errors.invalid(`${path}.successThreshold`, probe.successThreshold, 'must be 1');
  }
}

function checkLifecycle(
  lifecycle: V1Lifecycle | undefined,
  context: ContainerContext,
  path: string,
  errors: FieldErrors,
): void {
  if (lifecycle === undefined) return;
  for (const hook of ['postStart', 'preStop'] as const) {
    const handler = lifecycle[hook];
    if (handler !== undefined) checkHandler(handler, context.gracePeriodSeconds, `${path}.${hook}`, errors);
  }
}

function checkPorts(ports: readonly V1ContainerPort[], path: string, errors: FieldErrors): void {
  const names = new Set<string>();
  ports.forEach((port, index) => {
    const at = `${path}[${index}]`;
    if (port.name) {
      const messages = portName(port.name);
      if (messages.length > 0) errors.invalidFor(`${at}.name`, port.name, messages);
      else if (names.has(port.name)) errors.duplicate(`${at}.name`, port.name);
      else names.add(port.name);
    }
    if (!port.containerPort) errors.required(`${at}.containerPort`);
    else errors.invalidFor(`${at}.containerPort`, port.containerPort, portNumber(port.containerPort));
    if (port.hostPort) errors.invalidFor(`${at}.hostPort`, port.hostPort, portNumber(port.hostPort));
    errors.oneOf(`${at}.protocol`, port.protocol, PROTOCOLS);
  });
}

function checkHostPorts(containers: readonly V1Container[], path: string, errors: FieldErrors): void {
  let taken: Set<string> | undefined;
  containers.forEach((container, index) => {
    (container.ports ?? []).forEach((port, position) => {
      if (!port.hostPort) return;
      const key = `${port.protocol}/${port.hostIP ?? ''}/${port.hostPort}`;
      taken ??= new Set();
      if (taken.has(key)) errors.duplicate(`${path}[${index}].ports[${position}].hostPort`, key);
      taken.add(key);
    });
  });
}

function checkRestartRules(container: V1Container, path: string, errors: FieldErrors): void {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy === undefined) {
    if (rules.length > 0) {
      errors.required(`${path}.restartPolicy`, 'must specify restartPolicy when restart rules are used');
    }
  } else if (!RESTART_POLICIES.includes(restartPolicy)) {
    errors.notSupported(`${path}.restartPolicy`, restartPolicy, RESTART_POLICIES);
  }
  if (rules.length > 20) errors.tooMany(`${path}.restartPolicyRules`, rules.length, 20);
  rules.forEach(({ action, exitCodes }, index) => {
    const at = `${path}.restartPolicyRules[${index}]`;
    if (!RESTART_ACTIONS.includes(action)) errors.notSupported(`${at}.action`, action, RESTART_ACTIONS);
    if (exitCodes === undefined) errors.required(`${at}.exitCodes`, 'must be specified');
    else if (!EXIT_CODE_OPERATORS.includes(exitCodes.operator)) {
      errors.notSupported(`${at}.exitCodes.operator`, exitCodes.operator, EXIT_CODE_OPERATORS);
    }
  });
}

function checkResizePolicy(
  container: V1Container,
  context: ContainerContext,
  path: string,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  container.resizePolicy!.forEach(({ resourceName, restartPolicy }, index) => {
    if (seen.has(resourceName)) errors.duplicate(`${path}[${index}]`, resourceName);
    seen.add(resourceName);
    errors.oneOf(path, resourceName, ['cpu', 'memory']);
    errors.oneOf(path, restartPolicy, ['NotRequired', 'RestartContainer']);
    if (context.restartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      errors.invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  });
}
