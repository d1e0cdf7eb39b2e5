/** What the account has in the region, whatever the cluster is: encryption of volumes, and reservations of capacity. */
import type { AccountReading } from './account-reading.ts';

export async function readVolumeEncryption(reading: AccountReading): Promise<void> {
  const answer = await reading.ask('ec2:GetEbsEncryptionByDefault', (aws, options) =>
    aws.ec2.getEbsEncryptionByDefault({}, options),
  );
  if ('found' in answer)
    reading.add('ec2:GetEbsEncryptionByDefault', 'aws_ebs_encryption_by_default', 'this', {
      enabled: answer.found.EbsEncryptionByDefault ?? false,
    });
}

export async function readReservations(reading: AccountReading): Promise<void> {
  const answer = await reading.list('ec2:DescribeCapacityReservations', async (aws, options, NextToken) => {
    const Filters = [{ Name: 'state', Values: ['active'] }];
    const page = await aws.ec2.describeCapacityReservations({ Filters, NextToken }, options);
    return { items: page.CapacityReservations ?? [], next: page.NextToken };
  });
  for (const reservation of 'found' in answer ? answer.found : [])
    reading.add(
      'ec2:DescribeCapacityReservations',
      'aws_ec2_capacity_reservation',
      reservation.CapacityReservationId ?? '',
      {
        id: reservation.CapacityReservationId,
        instance_type: reservation.InstanceType,
        availability_zone: reservation.AvailabilityZone,
        instance_match_criteria: reservation.InstanceMatchCriteria,
        instance_count: reservation.TotalInstanceCount,
      },
    );
}
