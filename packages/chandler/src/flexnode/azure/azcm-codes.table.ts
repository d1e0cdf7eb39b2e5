/**
 * The error codes of azcmagent and their remedies.
 * Source: Microsoft Learn, "Troubleshoot Azure Connected Machine agent connection issues", read 2026-11.
 */
import type { FailureClass } from '../flex-error.ts';

export interface AzcmCode {
  readonly class: FailureClass;
  readonly means: string;
  readonly remedy: string;
  /** Transient: the command is retried a few times. */
  readonly transient?: true;
}

const HIMDS_UNAVAILABLE: Pick<AzcmCode, 'class' | 'means' | 'remedy' | 'transient'> = {
  class: 'step',
  means: 'the local service of the agent (himds) does not respond',
  remedy: 'Run systemctl restart himdsd, check journalctl -u himdsd, then run bootstrap again.',
  transient: true,
};

const INSTALLATION: AzcmCode = {
  class: 'step',
  means: 'the agent could not be installed',
  remedy: 'Check /var/opt/azcmagent/log/azcmagent.log and the output of dpkg.',
};

export const AZCM_CODES: Readonly<Record<string, AzcmCode>> = {
  AZCM0011: {
    class: 'step',
    means: 'the agent failed with an internal error',
    remedy: 'Check azcmagent logs, then run bootstrap again.',
  },
  AZCM0012: {
    class: 'auth',
    means: 'the access token is invalid',
    remedy: 'Log in again (az login). Check azure.tenantId, azure.cloud and the clock of this machine.',
  },
  AZCM0016: {
    class: 'config',
    means: 'a parameter is missing',
    remedy: 'Check azure.subscriptionId, azure.tenantId and azure.arc in the config.',
  },
  AZCM0017: {
    class: 'config',
    means: 'a parameter is invalid',
    remedy: 'Check azure.arc in the config: location, machineName, tags.',
  },
  AZCM0018: { class: 'usage', means: 'the command requires root', remedy: 'Run bootstrap as root.' },
  AZCM0019: {
    class: 'step',
    means: 'the agent could not read its config file',
    remedy: 'Check that /run has free space, then run bootstrap again.',
  },
  AZCM0026: {
    class: 'network',
    means: 'the agent cannot reach Azure',
    remedy: 'Run azcmagent check. Allow the endpoints that it lists, or set proxy.https in the config.',
    transient: true,
  },
  AZCM0041: {
    class: 'auth',
    means: 'the credentials are invalid',
    remedy: 'Check azure.servicePrincipal, or log in again (az login).',
  },
  AZCM0042: {
    class: 'auth',
    means: 'the Arc machine could not be created',
    remedy:
      'Assign the role Azure Connected Machine Onboarding on the resource group to the operator, and register the resource provider Microsoft.HybridCompute. A new role assignment takes effect after some minutes.',
    transient: true,
  },
  AZCM0043: {
    class: 'auth',
    means: 'the Arc machine could not be deleted',
    remedy: 'Run azcmagent disconnect --force-local-only, and delete the machine in Azure.',
  },
  AZCM0044: {
    class: 'config',
    means: 'an Arc machine with this name already exists',
    remedy: 'Choose another azure.arc.machineName, or delete the machine in Azure.',
  },
  AZCM0061: HIMDS_UNAVAILABLE,
  AZCM0062: {
    class: 'step',
    means: 'the connection to Azure Arc is incomplete',
    remedy: 'Delete the incomplete machine in Azure, then run bootstrap again.',
  },
  AZCM0063: {
    class: 'step',
    means: 'the agent could not be disconnected',
    remedy: 'Run azcmagent disconnect --force-local-only.',
  },
  AZCM0064: HIMDS_UNAVAILABLE,
  AZCM0065: HIMDS_UNAVAILABLE,
  AZCM0066: HIMDS_UNAVAILABLE,
  AZCM0067: {
    class: 'config',
    means: 'this machine is already connected',
    remedy: 'Run azcmagent show to see the resource, and azcmagent disconnect to disconnect from it.',
  },
  AZCM0068: {
    class: 'auth',
    means: 'this machine is connected, and the credentials are for another tenant',
    remedy: 'Log in to the tenant of the machine (azcmagent show).',
  },
  AZCM0070: HIMDS_UNAVAILABLE,
  AZCM0127: INSTALLATION,
  AZCM0128: INSTALLATION,
  AZCM0129: {
    class: 'preflight',
    means: 'the agent does not support this operating system',
    remedy: 'Use an Ubuntu release that the agent supports.',
  },
  AZCM0130: INSTALLATION,
  AZCM0131: INSTALLATION,
  AZCM0132: INSTALLATION,
  AZCM0133: INSTALLATION,
  AZCM0134: INSTALLATION,
  AZCM0135: INSTALLATION,
  AZCM0136: INSTALLATION,
  AZCM0137: INSTALLATION,
  AZCM0138: INSTALLATION,
  AZCM0139: INSTALLATION,
  AZCM0140: INSTALLATION,
  AZCM0141: INSTALLATION,
  AZCM0142: INSTALLATION,
  AZCM0143: INSTALLATION,
  AZCM0144: INSTALLATION,
  AZCM0145: INSTALLATION,
  AZCM0146: INSTALLATION,
};
