/** The network interfaces of an instance. They are always explicit, so the security groups stand here. */
import type { EC2NodeClassSpec } from '../../../api/index.ts';

import type { TemplateNetworkInterface } from './ec2-shapes.ts';

export interface InterfacesInput {
  readonly spec: Pick<
    EC2NodeClassSpec,
    'associatePublicIPAddress' | 'connectionTracking' | 'ipPrefixCount' | 'networkInterfaces'
  >;
  readonly securityGroupIds: readonly string[];
  readonly ipFamily: 'ipv4' | 'ipv6';
  /** How many EFA interfaces the claim asks for; 0 for none. */
  readonly efaCount: number;
}

/** Those of the class; else one per network card where EFA is asked for; else one. */
export function networkInterfaces(input: InterfacesInput): TemplateNetworkInterface[] {
  const Groups = [...input.securityGroupIds].sort();
  const own = input.spec.networkInterfaces ?? [];
  if (own.length > 0) {
    const sorted = own.toSorted(
      (a, b) => a.networkCardIndex - b.networkCardIndex || a.deviceIndex - b.deviceIndex,
    );
    return sorted.map(({ networkCardIndex, deviceIndex, interfaceType }) => ({
      NetworkCardIndex: networkCardIndex,
      DeviceIndex: deviceIndex,
      InterfaceType: interfaceType,
      Groups: [...Groups],
      // EC2 refuses all of this on an interface that only carries EFA traffic.
      ...(interfaceType === 'efa-only' ? {} : addressing(input)),
    }));
  }
  if (input.efaCount > 0) {
    return Array.from({ length: input.efaCount }, (_, card) => ({
      NetworkCardIndex: card,
      // The primary interface is device 0 of card 0; no other card may have a device 0.
      DeviceIndex: card === 0 ? 0 : 1,
      InterfaceType: 'efa' as const,
      Groups: [...Groups],
      ...addressing(input),
    }));
  }
  return [{ DeviceIndex: 0, Groups, ...addressing(input) }];
}

// ---------------------------------------------------------------------------------------------------------------

function addressing({ spec, ipFamily }: InterfacesInput): Partial<TemplateNetworkInterface> {
  const { associatePublicIPAddress, ipPrefixCount } = spec;
  const tracking = trackingOf(spec.connectionTracking);
  const isIpv6 = ipFamily === 'ipv6';
  return {
    ...(associatePublicIPAddress === undefined ? {} : { AssociatePublicIpAddress: associatePublicIPAddress }),
    ...(ipPrefixCount === undefined
      ? {}
      : isIpv6
        ? { Ipv6PrefixCount: ipPrefixCount }
        : { Ipv4PrefixCount: ipPrefixCount }),
    ...(isIpv6 ? { PrimaryIpv6: true, Ipv6AddressCount: 1 } : {}),
    ...(tracking === undefined ? {} : { ConnectionTrackingSpecification: tracking }),
  };
}

function trackingOf(
  tracking: EC2NodeClassSpec['connectionTracking'],
): TemplateNetworkInterface['ConnectionTrackingSpecification'] {
  const { tcpEstablishedTimeout: tcp, udpStreamTimeout: stream, udpTimeout: udp } = tracking ?? {};
  if (tcp === undefined && stream === undefined && udp === undefined) return undefined;
  return {
    ...(tcp === undefined ? {} : { TcpEstablishedTimeout: tcp }),
    ...(stream === undefined ? {} : { UdpStreamTimeout: stream }),
    ...(udp === undefined ? {} : { UdpTimeout: udp }),
  };
}
