/**
 * Names and types of the members of EC2's requests and answers, by shape: `Member=xmlName|QueryName:type`. The XML name is
 * left out where it is the member's with a small first letter, the query name where it is the member's. Types: `s` text,
 * `i` whole number, `d` number, `b` boolean, `t` time, `x` bytes, `{Shape}`, `[element]type`; `!` is required.
 * Source: the service model of EC2 (API version 2016-11-15) in botocore 1.44.0, read on 2026-11-16.
 */

export const EC2_API_VERSION = '2016-11-15';

/** Shapes of request and answer, by action. */
export const EC2_ACTIONS: Readonly<Record<string, readonly [request: string, answer: string]>> = {
  CreateFleet: ['CreateFleetRequest', 'CreateFleetResult'],
  CreateLaunchTemplate: ['CreateLaunchTemplateRequest', 'CreateLaunchTemplateResult'],
  CreateTags: ['CreateTagsRequest', ''],
  DeleteLaunchTemplate: ['DeleteLaunchTemplateRequest', 'DeleteLaunchTemplateResult'],
  DeleteTags: ['DeleteTagsRequest', ''],
  DescribeAvailabilityZones: ['DescribeAvailabilityZonesRequest', 'DescribeAvailabilityZonesResult'],
  DescribeCapacityReservations: ['DescribeCapacityReservationsRequest', 'DescribeCapacityReservationsResult'],
  DescribeImages: ['DescribeImagesRequest', 'DescribeImagesResult'],
  DescribeInstanceStatus: ['DescribeInstanceStatusRequest', 'DescribeInstanceStatusResult'],
  DescribeInstanceTypeOfferings: [
    'DescribeInstanceTypeOfferingsRequest',
    'DescribeInstanceTypeOfferingsResult',
  ],
  DescribeInstanceTypes: ['DescribeInstanceTypesRequest', 'DescribeInstanceTypesResult'],
  DescribeInstances: ['DescribeInstancesRequest', 'DescribeInstancesResult'],
  DescribeLaunchTemplateVersions: [
    'DescribeLaunchTemplateVersionsRequest',
    'DescribeLaunchTemplateVersionsResult',
  ],
  DescribeLaunchTemplates: ['DescribeLaunchTemplatesRequest', 'DescribeLaunchTemplatesResult'],
  DescribePlacementGroups: ['DescribePlacementGroupsRequest', 'DescribePlacementGroupsResult'],
  DescribeRouteTables: ['DescribeRouteTablesRequest', 'DescribeRouteTablesResult'],
  DescribeSecurityGroups: ['DescribeSecurityGroupsRequest', 'DescribeSecurityGroupsResult'],
  DescribeSpotPriceHistory: ['DescribeSpotPriceHistoryRequest', 'DescribeSpotPriceHistoryResult'],
  DescribeSubnets: ['DescribeSubnetsRequest', 'DescribeSubnetsResult'],
  DescribeVpcEndpoints: ['DescribeVpcEndpointsRequest', 'DescribeVpcEndpointsResult'],
  DescribeVpcs: ['DescribeVpcsRequest', 'DescribeVpcsResult'],
  GetConsoleOutput: ['GetConsoleOutputRequest', 'GetConsoleOutputResult'],
  GetEbsEncryptionByDefault: ['GetEbsEncryptionByDefaultRequest', 'GetEbsEncryptionByDefaultResult'],
  RebootInstances: ['RebootInstancesRequest', ''],
  RunInstances: ['RunInstancesRequest', 'Reservation'],
  TerminateInstances: ['TerminateInstancesRequest', 'TerminateInstancesResult'],
};

export const EC2_SHAPES: Readonly<Record<string, string>> = {
  AcceleratorCount: 'Min:i Max:i',
  AcceleratorCountRequest: 'Min=Min:i Max=Max:i',
  AcceleratorTotalMemoryMiB: 'Min:i Max:i',
  AcceleratorTotalMemoryMiBRequest: 'Min=Min:i Max=Max:i',
  ApplicationStatusSummary: 'Status:s ImpairedSince:t',
  AvailabilityZone:
    'OptInStatus:s Messages=messageSet|MessageSet:[item]{AvailabilityZoneMessage} RegionName:s ZoneName:s ZoneId:s GroupName:s NetworkBorderGroup:s ZoneType:s ParentZoneName:s ParentZoneId:s GroupLongName:s Geography=geographySet|GeographySet:[item]{AvailabilityZoneGeography} SubGeography=subGeographySet|SubGeographySet:[item]{AvailabilityZoneSubGeography} State=zoneState|ZoneState:s',
  AvailabilityZoneGeography: 'Name:s',
  AvailabilityZoneMessage: 'Message:s',
  AvailabilityZoneSubGeography: 'Name:s',
  BaselineEbsBandwidthMbps: 'Min:i Max:i',
  BaselineEbsBandwidthMbpsRequest: 'Min=Min:i Max=Max:i',
  BaselinePerformanceFactors: 'Cpu:{CpuPerformanceFactor}',
  BaselinePerformanceFactorsRequest: 'Cpu=Cpu:{CpuPerformanceFactorRequest}',
  BlockDeviceMapping: 'Ebs:{EbsBlockDevice} NoDevice:s DeviceName:s VirtualName:s',
  BlockDeviceMappingResponse: 'DeviceName:s VirtualName:s Ebs:{EbsBlockDeviceResponse} NoDevice:s',
  BlockPublicAccessStates: 'InternetGatewayBlockMode:s',
  CapacityAllocation:
    'AllocationType:s Count:i AllocationMetadata=allocationMetadataList|AllocationMetadataList:[item]{CapacityAllocationMetadataEntry}',
  CapacityAllocationMetadataEntry: 'Key:s Value:s',
  CapacityReservation:
    'CapacityReservationId:s OwnerId:s CapacityReservationArn:s AvailabilityZoneId:s InstanceType:s InstancePlatform:s AvailabilityZone:s Tenancy:s TotalInstanceCount:i AvailableInstanceCount:i EbsOptimized:b EphemeralStorage:b State:s StartDate:t EndDate:t EndDateType:s InstanceMatchCriteria:s CreateDate:t Tags=tagSet|TagSet:[item]{Tag} OutpostArn:s CapacityReservationFleetId:s PlacementGroupArn:s CapacityAllocations=capacityAllocationSet|CapacityAllocationSet:[item]{CapacityAllocation} ReservationType:s UnusedReservationBillingOwnerId:s CommitmentInfo:{CapacityReservationCommitmentInfo} DeliveryPreference:s CapacityBlockId:s Interruptible:b InterruptibleCapacityAllocation:{InterruptibleCapacityAllocation} InterruptionInfo:{InterruptionInfo} AdjustmentStatus:s AdjustmentDetails:{CapacityReservationAdjustmentDetails} OriginalStartDate:t ZeroSizePreference:s LaunchStatus:s',
  CapacityReservationAdjustmentDetails:
    'StartDate:t EndDate:t CommitmentEndDate:t EndDateType:s CommitmentDuration:i',
  CapacityReservationCommitmentInfo: 'CommittedInstanceCount:i CommitmentEndDate:t CommitmentDuration:i',
  CapacityReservationOptionsRequest: 'UsageStrategy=UsageStrategy:s',
  CapacityReservationSpecification:
    'CapacityReservationPreference=CapacityReservationPreference:s CapacityReservationTarget=CapacityReservationTarget:{CapacityReservationTarget}',
  CapacityReservationSpecificationResponse:
    'CapacityReservationPreference:s CapacityReservationTarget:{CapacityReservationTargetResponse}',
  CapacityReservationTarget:
    'CapacityReservationId=CapacityReservationId:s CapacityReservationResourceGroupArn=CapacityReservationResourceGroupArn:s',
  CapacityReservationTargetResponse: 'CapacityReservationId:s CapacityReservationResourceGroupArn:s',
  ConnectionTrackingSpecification: 'TcpEstablishedTimeout:i UdpTimeout:i UdpStreamTimeout:i',
  ConnectionTrackingSpecificationRequest:
    'TcpEstablishedTimeout=TcpEstablishedTimeout:i UdpStreamTimeout=UdpStreamTimeout:i UdpTimeout=UdpTimeout:i',
  ConnectionTrackingSpecificationResponse: 'TcpEstablishedTimeout:i UdpStreamTimeout:i UdpTimeout:i',
  CpuOptions: 'CoreCount:i ThreadsPerCore:i AmdSevSnp:s NestedVirtualization:s',
  CpuOptionsRequest:
    'CoreCount=CoreCount:i ThreadsPerCore=ThreadsPerCore:i AmdSevSnp=AmdSevSnp:s NestedVirtualization=NestedVirtualization:s',
  CpuPerformanceFactor: 'References=referenceSet|ReferenceSet:[item]{PerformanceFactorReference}',
  CpuPerformanceFactorRequest: 'References=Reference|Reference:[item]{PerformanceFactorReferenceRequest}',
  CreateFleetError:
    'LaunchTemplateAndOverrides:{LaunchTemplateAndOverridesResponse} Lifecycle:s ErrorCode:s ErrorMessage:s',
  CreateFleetInstance:
    'LaunchTemplateAndOverrides:{LaunchTemplateAndOverridesResponse} Lifecycle:s InstanceIds:[item]s InstanceType:s Platform:s AvailabilityZoneId:s AvailabilityZone:s SubnetId:s',
  CreateFleetRequest:
    'DryRun=DryRun:b ClientToken=ClientToken:s SpotOptions=SpotOptions:{SpotOptionsRequest} OnDemandOptions=OnDemandOptions:{OnDemandOptionsRequest} ReservedCapacityOptions=ReservedCapacityOptions:{ReservedCapacityOptionsRequest} ExcessCapacityTerminationPolicy=ExcessCapacityTerminationPolicy:s LaunchTemplateConfigs=LaunchTemplateConfigs:[item]{FleetLaunchTemplateConfigRequest}! TargetCapacitySpecification=TargetCapacitySpecification:{TargetCapacitySpecificationRequest}! TerminateInstancesWithExpiration=TerminateInstancesWithExpiration:b Type=Type:s ValidFrom=ValidFrom:t ValidUntil=ValidUntil:t ReplaceUnhealthyInstances=ReplaceUnhealthyInstances:b TagSpecifications=TagSpecification|TagSpecification:[item]{TagSpecification} Context=Context:s',
  CreateFleetResult:
    'FleetId:s Errors=errorSet|ErrorSet:[item]{CreateFleetError} Instances=fleetInstanceSet|FleetInstanceSet:[item]{CreateFleetInstance}',
  CreateLaunchTemplateRequest:
    'DryRun=DryRun:b ClientToken=ClientToken:s LaunchTemplateName=LaunchTemplateName:s! VersionDescription=VersionDescription:s LaunchTemplateData=LaunchTemplateData:{RequestLaunchTemplateData}! Operator=Operator:{OperatorRequest} TagSpecifications=TagSpecification|TagSpecification:[item]{TagSpecification}',
  CreateLaunchTemplateResult: 'LaunchTemplate:{LaunchTemplate} Warning:{ValidationWarning}',
  CreateTagsRequest: 'DryRun:b Resources=ResourceId|ResourceId:[member]s! Tags=Tag|Tag:[item]{Tag}!',
  CreditSpecification: 'CpuCredits:s',
  CreditSpecificationRequest: 'CpuCredits=CpuCredits:s!',
  DefaultConnectionTrackingConfiguration:
    'DefaultTcpEstablishedTimeout:i DefaultUdpTimeout:i DefaultUdpStreamTimeout:i',
  DeleteLaunchTemplateRequest:
    'DryRun=DryRun:b LaunchTemplateId=LaunchTemplateId:s LaunchTemplateName=LaunchTemplateName:s',
  DeleteLaunchTemplateResult: 'LaunchTemplate:{LaunchTemplate}',
  DeleteTagsRequest: 'DryRun:b Resources=resourceId|ResourceId:[member]s! Tags=tag|Tag:[item]{Tag}',
  DescribeAvailabilityZonesRequest:
    'ZoneNames=ZoneName|ZoneName:[ZoneName]s ZoneIds=ZoneId|ZoneId:[ZoneId]s AllAvailabilityZones=AllAvailabilityZones:b DryRun:b Filters=Filter|Filter:[Filter]{Filter}',
  DescribeAvailabilityZonesResult:
    'AvailabilityZones=availabilityZoneInfo|AvailabilityZoneInfo:[item]{AvailabilityZone}',
  DescribeCapacityReservationsRequest:
    'CapacityReservationIds=CapacityReservationId|CapacityReservationId:[item]s NextToken=NextToken:s MaxResults=MaxResults:i Filters=Filter|Filter:[Filter]{Filter} DryRun=DryRun:b',
  DescribeCapacityReservationsResult:
    'NextToken:s CapacityReservations=capacityReservationSet|CapacityReservationSet:[item]{CapacityReservation}',
  DescribeImagesRequest:
    'ExecutableUsers=ExecutableBy|ExecutableBy:[ExecutableBy]s ImageIds=ImageId|ImageId:[ImageId]s Owners=Owner|Owner:[Owner]s IncludeDeprecated=IncludeDeprecated:b IncludeDisabled=IncludeDisabled:b MaxResults=MaxResults:i NextToken=NextToken:s DryRun:b Filters=Filter|Filter:[Filter]{Filter}',
  DescribeImagesResult: 'NextToken:s Images=imagesSet|ImagesSet:[item]{Image}',
  DescribeInstanceStatusRequest:
    'InstanceIds=InstanceId|InstanceId:[InstanceId]s MaxResults=MaxResults:i NextToken=NextToken:s IncludeManagedResources=IncludeManagedResources:b DryRun:b Filters=Filter|Filter:[Filter]{Filter} IncludeAllInstances:b',
  DescribeInstanceStatusResult:
    'InstanceStatuses=instanceStatusSet|InstanceStatusSet:[item]{InstanceStatus} NextToken:s',
  DescribeInstanceTypeOfferingsRequest:
    'DryRun=DryRun:b LocationType=LocationType:s Filters=Filter|Filter:[Filter]{Filter} MaxResults=MaxResults:i NextToken=NextToken:s',
  DescribeInstanceTypeOfferingsResult:
    'InstanceTypeOfferings=instanceTypeOfferingSet|InstanceTypeOfferingSet:[item]{InstanceTypeOffering} NextToken:s',
  DescribeInstanceTypesRequest:
    'DryRun=DryRun:b InstanceTypes=InstanceType|InstanceType:[member]s Filters=Filter|Filter:[Filter]{Filter} MaxResults=MaxResults:i NextToken=NextToken:s IncludeUnsupportedInRegion=IncludeUnsupportedInRegion:b',
  DescribeInstanceTypesResult:
    'InstanceTypes=instanceTypeSet|InstanceTypeSet:[item]{InstanceTypeInfo} NextToken:s',
  DescribeInstancesRequest:
    'InstanceIds=InstanceId|InstanceId:[InstanceId]s IncludeManagedResources=IncludeManagedResources:b DryRun:b Filters=Filter|Filter:[Filter]{Filter} NextToken:s MaxResults:i',
  DescribeInstancesResult: 'NextToken:s Reservations=reservationSet|ReservationSet:[item]{Reservation}',
  DescribeLaunchTemplateVersionsRequest:
    'DryRun=DryRun:b LaunchTemplateId=LaunchTemplateId:s LaunchTemplateName=LaunchTemplateName:s Versions=LaunchTemplateVersion|LaunchTemplateVersion:[item]s MinVersion=MinVersion:s MaxVersion=MaxVersion:s NextToken=NextToken:s MaxResults=MaxResults:i Filters=Filter|Filter:[Filter]{Filter} ResolveAlias=ResolveAlias:b IncludeManagedResources=IncludeManagedResources:b',
  DescribeLaunchTemplateVersionsResult:
    'LaunchTemplateVersions=launchTemplateVersionSet|LaunchTemplateVersionSet:[item]{LaunchTemplateVersion} NextToken:s',
  DescribeLaunchTemplatesRequest:
    'DryRun=DryRun:b LaunchTemplateIds=LaunchTemplateId|LaunchTemplateId:[item]s LaunchTemplateNames=LaunchTemplateName|LaunchTemplateName:[item]s Filters=Filter|Filter:[Filter]{Filter} NextToken=NextToken:s MaxResults=MaxResults:i IncludeManagedResources=IncludeManagedResources:b',
  DescribeLaunchTemplatesResult: 'LaunchTemplates:[item]{LaunchTemplate} NextToken:s',
  DescribePlacementGroupsRequest:
    'GroupIds=GroupId|GroupId:[GroupId]s DryRun:b GroupNames=groupName|GroupName:[member]s Filters=Filter|Filter:[Filter]{Filter}',
  DescribePlacementGroupsResult: 'PlacementGroups=placementGroupSet|PlacementGroupSet:[item]{PlacementGroup}',
  DescribeRouteTablesRequest:
    'NextToken=NextToken:s MaxResults=MaxResults:i DryRun:b RouteTableIds=RouteTableId|RouteTableId:[item]s Filters=Filter|Filter:[Filter]{Filter}',
  DescribeRouteTablesResult: 'RouteTables=routeTableSet|RouteTableSet:[item]{RouteTable} NextToken:s',
  DescribeSecurityGroupsRequest:
    'GroupIds=GroupId|GroupId:[groupId]s GroupNames=GroupName|GroupName:[GroupName]s NextToken=NextToken:s MaxResults=MaxResults:i DryRun:b Filters=Filter|Filter:[Filter]{Filter}',
  DescribeSecurityGroupsResult:
    'NextToken:s SecurityGroups=securityGroupInfo|SecurityGroupInfo:[item]{SecurityGroup}',
  DescribeSpotPriceHistoryRequest:
    'AvailabilityZoneId=AvailabilityZoneId:s DryRun:b StartTime:t EndTime:t InstanceTypes=InstanceType|InstanceType:[member]s ProductDescriptions=ProductDescription|ProductDescription:[member]s Filters=Filter|Filter:[Filter]{Filter} AvailabilityZone:s MaxResults:i NextToken:s',
  DescribeSpotPriceHistoryResult:
    'NextToken:s SpotPriceHistory=spotPriceHistorySet|SpotPriceHistorySet:[item]{SpotPrice}',
  DescribeSubnetsRequest:
    'Filters=Filter|Filter:[Filter]{Filter} SubnetIds=SubnetId|SubnetId:[SubnetId]s NextToken=NextToken:s MaxResults=MaxResults:i DryRun:b',
  DescribeSubnetsResult: 'NextToken:s Subnets=subnetSet|SubnetSet:[item]{Subnet}',
  DescribeVpcEndpointsRequest:
    'DryRun:b VpcEndpointIds=VpcEndpointId|VpcEndpointId:[item]s Filters=Filter|Filter:[Filter]{Filter} MaxResults=MaxResults:i NextToken=NextToken:s',
  DescribeVpcEndpointsResult: 'VpcEndpoints=vpcEndpointSet|VpcEndpointSet:[item]{VpcEndpoint} NextToken:s',
  DescribeVpcsRequest:
    'Filters=Filter|Filter:[Filter]{Filter} VpcIds=VpcId|VpcId:[VpcId]s NextToken=NextToken:s MaxResults=MaxResults:i DryRun:b',
  DescribeVpcsResult: 'NextToken:s Vpcs=vpcSet|VpcSet:[item]{Vpc}',
  DiskInfo: 'SizeInGB:i Count:i Type:s',
  EbsBlockDevice:
    'DeleteOnTermination:b Iops:i SnapshotId:s VolumeSize:i VolumeType:s KmsKeyId:s Throughput:i OutpostArn:s AvailabilityZone:s Encrypted:b VolumeInitializationRate=VolumeInitializationRate:i AvailabilityZoneId=AvailabilityZoneId:s EbsCardIndex=EbsCardIndex:i',
  EbsBlockDeviceResponse:
    'Encrypted:b DeleteOnTermination:b Iops:i Throughput:i KmsKeyId:s SnapshotId:s VolumeSize:i VolumeType:s',
  EbsCardInfo:
    'EbsCardIndex:i BaselineBandwidthInMbps:i BaselineThroughputInMBps:d BaselineIops:i MaximumBandwidthInMbps:i MaximumThroughputInMBps:d MaximumIops:i',
  EbsInfo:
    'EbsOptimizedSupport:s EncryptionSupport:s EbsOptimizedInfo:{EbsOptimizedInfo} NvmeSupport:s MaximumEbsAttachments:i AttachmentLimitType:s MaximumEbsCards:i EbsCards=ebsCardSet|EbsCardSet:[item]{EbsCardInfo}',
  EbsInstanceBlockDevice:
    'AttachTime:t DeleteOnTermination:b Status:s VolumeId:s AssociatedResource:s VolumeOwnerId:s Operator:{OperatorResponse} EbsCardIndex:i',
  EbsOptimizedInfo:
    'BaselineBandwidthInMbps:i BaselineThroughputInMBps:d BaselineIops:i MaximumBandwidthInMbps:i MaximumThroughputInMBps:d MaximumIops:i',
  EbsStatusDetails: 'ImpairedSince:t Name:s Status:s',
  EbsStatusSummary: 'Details:[item]{EbsStatusDetails} Status:s',
  EfaInfo: 'MaximumEfaInterfaces:i',
  ElasticGpuAssociation:
    'ElasticGpuId:s ElasticGpuAssociationId:s ElasticGpuAssociationState:s ElasticGpuAssociationTime:s',
  ElasticGpuSpecification: 'Type=Type:s!',
  ElasticGpuSpecificationResponse: 'Type:s',
  ElasticInferenceAccelerator: 'Type=Type:s! Count=Count:i',
  ElasticInferenceAcceleratorAssociation:
    'ElasticInferenceAcceleratorArn:s ElasticInferenceAcceleratorAssociationId:s ElasticInferenceAcceleratorAssociationState:s ElasticInferenceAcceleratorAssociationTime:t',
  EnaSrdSpecificationRequest:
    'EnaSrdEnabled=EnaSrdEnabled:b EnaSrdUdpSpecification=EnaSrdUdpSpecification:{EnaSrdUdpSpecificationRequest}',
  EnaSrdUdpSpecificationRequest: 'EnaSrdUdpEnabled=EnaSrdUdpEnabled:b',
  EnclaveOptions: 'Enabled:b',
  EnclaveOptionsRequest: 'Enabled=Enabled:b',
  Filter: 'Name=Name:s Values=Value|Value:[item]s',
  FleetBlockDeviceMappingRequest:
    'DeviceName=DeviceName:s VirtualName=VirtualName:s Ebs=Ebs:{FleetEbsBlockDeviceRequest} NoDevice=NoDevice:s',
  FleetCapacityReservationTargetRequest:
    'CapacityReservationIds=CapacityReservationId|CapacityReservationId:[item]s CapacityReservationResourceGroupArns=CapacityReservationResourceGroupArn|CapacityReservationResourceGroupArn:[item]s',
  FleetEbsBlockDeviceRequest:
    'Encrypted=Encrypted:b DeleteOnTermination=DeleteOnTermination:b Iops=Iops:i Throughput=Throughput:i KmsKeyId=KmsKeyId:s SnapshotId=SnapshotId:s VolumeSize=VolumeSize:i VolumeType=VolumeType:s',
  FleetIamInstanceProfileSpecificationRequest: 'Arn=Arn:s Name=Name:s',
  FleetInstanceMetadataOptionsRequest:
    'HttpTokens=HttpTokens:s HttpPutResponseHopLimit=HttpPutResponseHopLimit:i HttpEndpoint=HttpEndpoint:s',
  FleetLaunchTemplateConfigRequest:
    'LaunchTemplateSpecification=LaunchTemplateSpecification:{FleetLaunchTemplateSpecificationRequest} Overrides=Overrides:[item]{FleetLaunchTemplateOverridesRequest}',
  FleetLaunchTemplateOverrides:
    'InstanceType:s MaxPrice:s SubnetId:s AvailabilityZone:s WeightedCapacity:d Priority:d Placement:{PlacementResponse} InstanceRequirements:{InstanceRequirements} ImageId:s BlockDeviceMappings=blockDeviceMappingSet|BlockDeviceMappingSet:[item]{BlockDeviceMappingResponse} AvailabilityZoneId:s',
  FleetLaunchTemplateOverridesRequest:
    'InstanceType=InstanceType:s MaxPrice=MaxPrice:s SubnetId=SubnetId:s AvailabilityZone=AvailabilityZone:s WeightedCapacity=WeightedCapacity:d Priority=Priority:d Placement=Placement:{Placement} KeyName=KeyName:s BlockDeviceMappings=BlockDeviceMapping|BlockDeviceMapping:[BlockDeviceMapping]{FleetBlockDeviceMappingRequest} IamInstanceProfile=IamInstanceProfile:{FleetIamInstanceProfileSpecificationRequest} MetadataOptions=MetadataOptions:{FleetInstanceMetadataOptionsRequest} InstanceRequirements=InstanceRequirements:{InstanceRequirementsRequest} ImageId=ImageId:s AvailabilityZoneId=AvailabilityZoneId:s',
  FleetLaunchTemplateSpecification: 'LaunchTemplateId:s LaunchTemplateName:s Version:s',
  FleetLaunchTemplateSpecificationRequest:
    'LaunchTemplateId=LaunchTemplateId:s LaunchTemplateName=LaunchTemplateName:s Version=Version:s LaunchTemplateSpecificationUserData=LaunchTemplateSpecificationUserData:s',
  FleetSpotCapacityRebalanceRequest:
    'ReplacementStrategy=ReplacementStrategy:s TerminationDelay=TerminationDelay:i',
  FleetSpotMaintenanceStrategiesRequest:
    'CapacityRebalance=CapacityRebalance:{FleetSpotCapacityRebalanceRequest}',
  FpgaDeviceInfo: 'Name:s Manufacturer:s Count:i MemoryInfo:{FpgaDeviceMemoryInfo}',
  FpgaDeviceMemoryInfo: 'SizeInMiB:i',
  FpgaInfo: 'Fpgas:[item]{FpgaDeviceInfo} TotalFpgaMemoryInMiB:i',
  GetConsoleOutputRequest: 'InstanceId=InstanceId:s! Latest=Latest:b DryRun:b',
  GetConsoleOutputResult: 'InstanceId:s Timestamp:t Output:s',
  GetEbsEncryptionByDefaultRequest: 'DryRun:b',
  GetEbsEncryptionByDefaultResult: 'EbsEncryptionByDefault:b SseType:s',
  GpuDeviceInfo:
    'Name:s Manufacturer:s Count:i LogicalGpuCount:i GpuPartitionSize:d Workloads=workloadSet|WorkloadSet:[item]s MemoryInfo:{GpuDeviceMemoryInfo}',
  GpuDeviceMemoryInfo: 'SizeInMiB:i',
  GpuInfo: 'Gpus:[item]{GpuDeviceInfo} TotalGpuMemoryInMiB:i',
  GroupIdentifier: 'GroupId:s GroupName:s',
  HibernationOptions: 'Configured:b',
  HibernationOptionsRequest: 'Configured=Configured:b',
  IamInstanceProfile: 'Arn:s Id:s',
  IamInstanceProfileSpecification: 'Arn:s Name:s',
  Image:
    'PlatformDetails:s UsageOperation:s BlockDeviceMappings=blockDeviceMapping|BlockDeviceMapping:[item]{BlockDeviceMapping} Description:s EnaSupport:b Hypervisor:s ImageOwnerAlias:s Name:s RootDeviceName:s RootDeviceType:s SriovNetSupport:s StateReason:{StateReason} Tags=tagSet|TagSet:[item]{Tag} VirtualizationType:s BootMode:s TpmSupport:s DeprecationTime:s ImdsSupport:s SourceInstanceId:s DeregistrationProtection:s LastLaunchedTime:s ImageAllowed:b SourceImageId:s SourceImageRegion:s FreeTierEligible:b PublicSsmParameterName:s ImageWatermarks=imageWatermarkSet|ImageWatermarkSet:[item]{ImageWatermark} ScanResults:{ScanResults} InstanceTypeSpecification:{InstanceTypeSpecification} ImageId:s ImageLocation:s State=imageState|ImageState:s OwnerId=imageOwnerId|ImageOwnerId:s CreationDate:s Public=isPublic|IsPublic:b ProductCodes:[item]{ProductCode} Architecture:s ImageType:s KernelId:s RamdiskId:s Platform:s',
  ImageWatermark:
    'WatermarkKey:s SourceImageRegion:s SourceImageId:s SourceImageCreationTime:t WatermarkCreationTime:t',
  InferenceAcceleratorInfo: 'Accelerators:[member]{InferenceDeviceInfo} TotalInferenceMemoryInMiB:i',
  InferenceDeviceInfo: 'Count:i Name:s Manufacturer:s MemoryInfo:{InferenceDeviceMemoryInfo}',
  InferenceDeviceMemoryInfo: 'SizeInMiB:i',
  Instance:
    'Architecture:s BlockDeviceMappings=blockDeviceMapping|BlockDeviceMapping:[item]{InstanceBlockDeviceMapping} ClientToken:s EbsOptimized:b EnaSupport:b Hypervisor:s IamInstanceProfile:{IamInstanceProfile} InstanceLifecycle:s ElasticGpuAssociations=elasticGpuAssociationSet|ElasticGpuAssociationSet:[item]{ElasticGpuAssociation} ElasticInferenceAcceleratorAssociations=elasticInferenceAcceleratorAssociationSet|ElasticInferenceAcceleratorAssociationSet:[item]{ElasticInferenceAcceleratorAssociation} NetworkInterfaces=networkInterfaceSet|NetworkInterfaceSet:[item]{InstanceNetworkInterface} OutpostArn:s RootDeviceName:s RootDeviceType:s SecurityGroups=groupSet|GroupSet:[item]{GroupIdentifier} SourceDestCheck:b SpotInstanceRequestId:s SriovNetSupport:s StateReason:{StateReason} Tags=tagSet|TagSet:[item]{Tag} VirtualizationType:s CpuOptions:{CpuOptions} CapacityBlockId:s CapacityReservationId:s CapacityReservationSpecification:{CapacityReservationSpecificationResponse} HibernationOptions:{HibernationOptions} Licenses=licenseSet|LicenseSet:[item]{LicenseConfiguration} MetadataOptions:{InstanceMetadataOptionsResponse} EnclaveOptions:{EnclaveOptions} BootMode:s PlatformDetails:s UsageOperation:s UsageOperationUpdateTime:t PrivateDnsNameOptions:{PrivateDnsNameOptionsResponse} Ipv6Address:s TpmSupport:s MaintenanceOptions:{InstanceMaintenanceOptions} CurrentInstanceBootMode:s NetworkPerformanceOptions:{InstanceNetworkPerformanceOptions} Operator:{OperatorResponse} SecondaryInterfaces=secondaryInterfaceSet|SecondaryInterfaceSet:[item]{InstanceSecondaryInterface} InstanceId:s ImageId:s State=instanceState|InstanceState:{InstanceState} PrivateDnsName:s PublicDnsName=dnsName|DnsName:s StateTransitionReason=reason|Reason:s KeyName:s AmiLaunchIndex:i ProductCodes:[item]{ProductCode} InstanceType:s LaunchTime:t Placement:{Placement} KernelId:s RamdiskId:s Platform:s Monitoring:{Monitoring} SubnetId:s VpcId:s PrivateIpAddress:s PublicIpAddress=ipAddress|IpAddress:s',
  InstanceAttachmentEnaSrdSpecification:
    'EnaSrdEnabled:b EnaSrdUdpSpecification:{InstanceAttachmentEnaSrdUdpSpecification}',
  InstanceAttachmentEnaSrdUdpSpecification: 'EnaSrdUdpEnabled:b',
  InstanceBlockDeviceMapping: 'DeviceName:s Ebs:{EbsInstanceBlockDevice}',
  InstanceIpv4Prefix: 'Ipv4Prefix:s',
  InstanceIpv6Address: 'Ipv6Address:s IsPrimaryIpv6:b',
  InstanceIpv6AddressRequest: 'Ipv6Address=Ipv6Address:s',
  InstanceIpv6Prefix: 'Ipv6Prefix:s',
  InstanceMaintenanceOptions: 'AutoRecovery:s RebootMigration:s',
  InstanceMaintenanceOptionsRequest: 'AutoRecovery=AutoRecovery:s',
  InstanceMarketOptionsRequest: 'MarketType=MarketType:s SpotOptions=SpotOptions:{SpotMarketOptions}',
  InstanceMetadataOptionsRequest:
    'HttpTokens=HttpTokens:s HttpPutResponseHopLimit=HttpPutResponseHopLimit:i HttpEndpoint=HttpEndpoint:s HttpProtocolIpv6=HttpProtocolIpv6:s InstanceMetadataTags=InstanceMetadataTags:s',
  InstanceMetadataOptionsResponse:
    'State:s HttpTokens:s HttpPutResponseHopLimit:i HttpEndpoint:s HttpProtocolIpv6:s InstanceMetadataTags:s',
  InstanceNetworkInterface:
    'Association:{InstanceNetworkInterfaceAssociation} Attachment:{InstanceNetworkInterfaceAttachment} Description:s Groups=groupSet|GroupSet:[item]{GroupIdentifier} Ipv6Addresses=ipv6AddressesSet|Ipv6AddressesSet:[item]{InstanceIpv6Address} MacAddress:s NetworkInterfaceId:s OwnerId:s PrivateDnsName:s PrivateIpAddress:s PrivateIpAddresses=privateIpAddressesSet|PrivateIpAddressesSet:[item]{InstancePrivateIpAddress} SourceDestCheck:b Status:s SubnetId:s VpcId:s InterfaceType:s Ipv4Prefixes=ipv4PrefixSet|Ipv4PrefixSet:[item]{InstanceIpv4Prefix} Ipv6Prefixes=ipv6PrefixSet|Ipv6PrefixSet:[item]{InstanceIpv6Prefix} ConnectionTrackingConfiguration:{ConnectionTrackingSpecificationResponse} Operator:{OperatorResponse}',
  InstanceNetworkInterfaceAssociation: 'CarrierIp:s CustomerOwnedIp:s IpOwnerId:s PublicDnsName:s PublicIp:s',
  InstanceNetworkInterfaceAttachment:
    'AttachTime:t AttachmentId:s DeleteOnTermination:b DeviceIndex:i Status:s NetworkCardIndex:i EnaSrdSpecification:{InstanceAttachmentEnaSrdSpecification} EnaQueueCount:i',
  InstanceNetworkInterfaceSpecification:
    'AssociatePublicIpAddress:b DeleteOnTermination:b Description:s DeviceIndex:i Groups=SecurityGroupId|SecurityGroupId:[SecurityGroupId]s Ipv6AddressCount:i Ipv6Addresses=ipv6AddressesSet:[item]{InstanceIpv6Address} NetworkInterfaceId:s PrivateIpAddress:s PrivateIpAddresses=privateIpAddressesSet:[item]{PrivateIpAddressSpecification} SecondaryPrivateIpAddressCount:i SubnetId:s AssociateCarrierIpAddress=AssociateCarrierIpAddress:b InterfaceType=InterfaceType:s NetworkCardIndex=NetworkCardIndex:i Ipv4Prefixes=Ipv4Prefix|Ipv4Prefix:[item]{Ipv4PrefixSpecificationRequest} Ipv4PrefixCount=Ipv4PrefixCount:i Ipv6Prefixes=Ipv6Prefix|Ipv6Prefix:[item]{Ipv6PrefixSpecificationRequest} Ipv6PrefixCount=Ipv6PrefixCount:i PrimaryIpv6=PrimaryIpv6:b EnaSrdSpecification=EnaSrdSpecification:{EnaSrdSpecificationRequest} ConnectionTrackingSpecification=ConnectionTrackingSpecification:{ConnectionTrackingSpecificationRequest} EnaQueueCount=EnaQueueCount:i',
  InstanceNetworkPerformanceOptions: 'BandwidthWeighting:s',
  InstanceNetworkPerformanceOptionsRequest: 'BandwidthWeighting=BandwidthWeighting:s',
  InstancePrivateIpAddress:
    'Association:{InstanceNetworkInterfaceAssociation} Primary:b PrivateDnsName:s PrivateIpAddress:s',
  InstanceRequirements:
    'VCpuCount:{VCpuCountRange} MemoryMiB:{MemoryMiB} CpuManufacturers=cpuManufacturerSet|CpuManufacturerSet:[item]s MemoryGiBPerVCpu:{MemoryGiBPerVCpu} ExcludedInstanceTypes=excludedInstanceTypeSet|ExcludedInstanceTypeSet:[item]s InstanceGenerations=instanceGenerationSet|InstanceGenerationSet:[item]s SpotMaxPricePercentageOverLowestPrice:i OnDemandMaxPricePercentageOverLowestPrice:i BareMetal:s BurstablePerformance:s RequireHibernateSupport:b NetworkInterfaceCount:{NetworkInterfaceCount} LocalStorage:s LocalStorageTypes=localStorageTypeSet|LocalStorageTypeSet:[item]s TotalLocalStorageGB:{TotalLocalStorageGB} BaselineEbsBandwidthMbps:{BaselineEbsBandwidthMbps} AcceleratorTypes=acceleratorTypeSet|AcceleratorTypeSet:[item]s AcceleratorCount:{AcceleratorCount} AcceleratorManufacturers=acceleratorManufacturerSet|AcceleratorManufacturerSet:[item]s AcceleratorNames=acceleratorNameSet|AcceleratorNameSet:[item]s AcceleratorTotalMemoryMiB:{AcceleratorTotalMemoryMiB} NetworkBandwidthGbps:{NetworkBandwidthGbps} AllowedInstanceTypes=allowedInstanceTypeSet|AllowedInstanceTypeSet:[item]s MaxSpotPriceAsPercentageOfOptimalOnDemandPrice:i BaselinePerformanceFactors:{BaselinePerformanceFactors} RequireEncryptionInTransit:b',
  InstanceRequirementsRequest:
    'VCpuCount=VCpuCount:{VCpuCountRangeRequest}! MemoryMiB=MemoryMiB:{MemoryMiBRequest}! CpuManufacturers=CpuManufacturer|CpuManufacturer:[item]s MemoryGiBPerVCpu=MemoryGiBPerVCpu:{MemoryGiBPerVCpuRequest} ExcludedInstanceTypes=ExcludedInstanceType|ExcludedInstanceType:[item]s InstanceGenerations=InstanceGeneration|InstanceGeneration:[item]s SpotMaxPricePercentageOverLowestPrice=SpotMaxPricePercentageOverLowestPrice:i OnDemandMaxPricePercentageOverLowestPrice=OnDemandMaxPricePercentageOverLowestPrice:i BareMetal=BareMetal:s BurstablePerformance=BurstablePerformance:s RequireHibernateSupport=RequireHibernateSupport:b NetworkInterfaceCount=NetworkInterfaceCount:{NetworkInterfaceCountRequest} LocalStorage=LocalStorage:s LocalStorageTypes=LocalStorageType|LocalStorageType:[item]s TotalLocalStorageGB=TotalLocalStorageGB:{TotalLocalStorageGBRequest} BaselineEbsBandwidthMbps=BaselineEbsBandwidthMbps:{BaselineEbsBandwidthMbpsRequest} AcceleratorTypes=AcceleratorType|AcceleratorType:[item]s AcceleratorCount=AcceleratorCount:{AcceleratorCountRequest} AcceleratorManufacturers=AcceleratorManufacturer|AcceleratorManufacturer:[item]s AcceleratorNames=AcceleratorName|AcceleratorName:[item]s AcceleratorTotalMemoryMiB=AcceleratorTotalMemoryMiB:{AcceleratorTotalMemoryMiBRequest} NetworkBandwidthGbps=NetworkBandwidthGbps:{NetworkBandwidthGbpsRequest} AllowedInstanceTypes=AllowedInstanceType|AllowedInstanceType:[item]s MaxSpotPriceAsPercentageOfOptimalOnDemandPrice=MaxSpotPriceAsPercentageOfOptimalOnDemandPrice:i BaselinePerformanceFactors=BaselinePerformanceFactors:{BaselinePerformanceFactorsRequest} RequireEncryptionInTransit=RequireEncryptionInTransit:b',
  InstanceSecondaryInterface:
    'Attachment:{InstanceSecondaryInterfaceAttachment} MacAddress:s SecondaryInterfaceId:s OwnerId:s PrivateIpAddresses=privateIpAddressSet|PrivateIpAddressSet:[item]{InstanceSecondaryInterfacePrivateIpAddress} SourceDestCheck:b Status:s SecondarySubnetId:s SecondaryNetworkId:s InterfaceType:s',
  InstanceSecondaryInterfaceAttachment:
    'AttachTime:t AttachmentId:s DeleteOnTermination:b DeviceIndex:i Status:s NetworkCardIndex:i',
  InstanceSecondaryInterfacePrivateIpAddress: 'PrivateIpAddress:s',
  InstanceSecondaryInterfacePrivateIpAddressRequest: 'PrivateIpAddress=PrivateIpAddress:s!',
  InstanceSecondaryInterfaceSpecificationRequest:
    'DeleteOnTermination=DeleteOnTermination:b DeviceIndex=DeviceIndex:i PrivateIpAddresses=PrivateIpAddress|PrivateIpAddress:[item]{InstanceSecondaryInterfacePrivateIpAddressRequest} PrivateIpAddressCount=PrivateIpAddressCount:i SecondarySubnetId=SecondarySubnetId:s InterfaceType=InterfaceType:s NetworkCardIndex=NetworkCardIndex:i',
  InstanceState: 'Code:i Name:s',
  InstanceStateChange: 'InstanceId:s CurrentState:{InstanceState} PreviousState:{InstanceState}',
  InstanceStatus:
    'AvailabilityZone:s AvailabilityZoneId:s OutpostArn:s Operator:{OperatorResponse} Events=eventsSet|EventsSet:[item]{InstanceStatusEvent} InstanceId:s InstanceState:{InstanceState} InstanceStatus:{InstanceStatusSummary} SystemStatus:{InstanceStatusSummary} AttachedEbsStatus:{EbsStatusSummary} ApplicationStatus:{ApplicationStatusSummary} PerformanceStatus:{PerformanceStatusSummary}',
  InstanceStatusDetails: 'ImpairedSince:t Name:s Status:s',
  InstanceStatusEvent: 'InstanceEventId:s Code:s Description:s NotAfter:t NotBefore:t NotBeforeDeadline:t',
  InstanceStatusSummary: 'Details:[item]{InstanceStatusDetails} Status:s',
  InstanceStorageInfo: 'TotalSizeInGB:i Disks:[item]{DiskInfo} NvmeSupport:s EncryptionSupport:s',
  InstanceTypeInfo:
    'InstanceType:s CurrentGeneration:b FreeTierEligible:b SupportedUsageClasses:[item]s SupportedRootDeviceTypes:[item]s SupportedVirtualizationTypes:[item]s BareMetal:b Hypervisor:s ProcessorInfo:{ProcessorInfo} VCpuInfo:{VCpuInfo} MemoryInfo:{MemoryInfo} InstanceStorageSupported:b InstanceStorageInfo:{InstanceStorageInfo} EbsInfo:{EbsInfo} NetworkInfo:{NetworkInfo} GpuInfo:{GpuInfo} FpgaInfo:{FpgaInfo} PlacementGroupInfo:{PlacementGroupInfo} InferenceAcceleratorInfo:{InferenceAcceleratorInfo} HibernationSupported:b BurstablePerformanceSupported:b DedicatedHostsSupported:b AutoRecoverySupported:b SupportedBootModes:[item]s NitroEnclavesSupport:s NitroTpmSupport:s NitroTpmInfo:{NitroTpmInfo} MediaAcceleratorInfo:{MediaAcceleratorInfo} NeuronInfo:{NeuronInfo} PhcSupport:s RebootMigrationSupport:s SupportedInRegion:b',
  InstanceTypeItem: 'InstanceType:s',
  InstanceTypeOffering: 'InstanceType:s LocationType:s Location:s',
  InstanceTypeSpecification:
    'SupportedInstanceTypes=supportedInstanceTypeSet|SupportedInstanceTypeSet:[item]{InstanceTypeItem} UnsupportedInstanceTypes=unsupportedInstanceTypeSet|UnsupportedInstanceTypeSet:[item]{InstanceTypeItem}',
  InterruptibleCapacityAllocation:
    'InstanceCount:i TargetInstanceCount:i Status:s InterruptibleCapacityReservationId:s InterruptionType:s ZeroSizePreference:s',
  InterruptionInfo: 'SourceCapacityReservationId:s InterruptionType:s',
  IpPermission:
    'IpProtocol:s FromPort:i ToPort:i UserIdGroupPairs=groups|Groups:[item]{UserIdGroupPair} IpRanges:[item]{IpRange} Ipv6Ranges:[item]{Ipv6Range} PrefixListIds:[item]{PrefixListId}',
  IpRange: 'Description:s CidrIp:s',
  Ipv4PrefixSpecificationRequest: 'Ipv4Prefix=Ipv4Prefix:s',
  Ipv4PrefixSpecificationResponse: 'Ipv4Prefix:s',
  Ipv6PrefixSpecificationRequest: 'Ipv6Prefix=Ipv6Prefix:s',
  Ipv6PrefixSpecificationResponse: 'Ipv6Prefix:s',
  Ipv6Range: 'Description:s CidrIpv6:s',
  LaunchTemplate:
    'LaunchTemplateId:s LaunchTemplateName:s CreateTime:t CreatedBy:s DefaultVersionNumber:i LatestVersionNumber:i Tags=tagSet|TagSet:[item]{Tag} Operator:{OperatorResponse}',
  LaunchTemplateAndOverridesResponse:
    'LaunchTemplateSpecification:{FleetLaunchTemplateSpecification} Overrides:{FleetLaunchTemplateOverrides}',
  LaunchTemplateBlockDeviceMapping:
    'DeviceName:s VirtualName:s Ebs:{LaunchTemplateEbsBlockDevice} NoDevice:s',
  LaunchTemplateBlockDeviceMappingRequest:
    'DeviceName=DeviceName:s VirtualName=VirtualName:s Ebs=Ebs:{LaunchTemplateEbsBlockDeviceRequest} NoDevice=NoDevice:s',
  LaunchTemplateCapacityReservationSpecificationRequest:
    'CapacityReservationPreference=CapacityReservationPreference:s CapacityReservationTarget=CapacityReservationTarget:{CapacityReservationTarget}',
  LaunchTemplateCapacityReservationSpecificationResponse:
    'CapacityReservationPreference:s CapacityReservationTarget:{CapacityReservationTargetResponse}',
  LaunchTemplateCpuOptions: 'CoreCount:i ThreadsPerCore:i AmdSevSnp:s NestedVirtualization:s',
  LaunchTemplateCpuOptionsRequest:
    'CoreCount=CoreCount:i ThreadsPerCore=ThreadsPerCore:i AmdSevSnp=AmdSevSnp:s NestedVirtualization=NestedVirtualization:s',
  LaunchTemplateEbsBlockDevice:
    'Encrypted:b DeleteOnTermination:b Iops:i KmsKeyId:s SnapshotId:s VolumeSize:i VolumeType:s Throughput:i VolumeInitializationRate:i EbsCardIndex:i',
  LaunchTemplateEbsBlockDeviceRequest:
    'Encrypted=Encrypted:b DeleteOnTermination=DeleteOnTermination:b Iops=Iops:i KmsKeyId=KmsKeyId:s SnapshotId=SnapshotId:s VolumeSize=VolumeSize:i VolumeType=VolumeType:s Throughput=Throughput:i VolumeInitializationRate=VolumeInitializationRate:i EbsCardIndex=EbsCardIndex:i',
  LaunchTemplateElasticInferenceAccelerator: 'Type=Type:s! Count=Count:i',
  LaunchTemplateElasticInferenceAcceleratorResponse: 'Type:s Count:i',
  LaunchTemplateEnaSrdSpecification:
    'EnaSrdEnabled:b EnaSrdUdpSpecification:{LaunchTemplateEnaSrdUdpSpecification}',
  LaunchTemplateEnaSrdUdpSpecification: 'EnaSrdUdpEnabled:b',
  LaunchTemplateEnclaveOptions: 'Enabled:b',
  LaunchTemplateEnclaveOptionsRequest: 'Enabled=Enabled:b',
  LaunchTemplateHibernationOptions: 'Configured:b',
  LaunchTemplateHibernationOptionsRequest: 'Configured=Configured:b',
  LaunchTemplateIamInstanceProfileSpecification: 'Arn:s Name:s',
  LaunchTemplateIamInstanceProfileSpecificationRequest: 'Arn=Arn:s Name=Name:s',
  LaunchTemplateInstanceMaintenanceOptions: 'AutoRecovery:s',
  LaunchTemplateInstanceMaintenanceOptionsRequest: 'AutoRecovery=AutoRecovery:s',
  LaunchTemplateInstanceMarketOptions: 'MarketType:s SpotOptions:{LaunchTemplateSpotMarketOptions}',
  LaunchTemplateInstanceMarketOptionsRequest:
    'MarketType=MarketType:s SpotOptions=SpotOptions:{LaunchTemplateSpotMarketOptionsRequest}',
  LaunchTemplateInstanceMetadataOptions:
    'State:s HttpTokens:s HttpPutResponseHopLimit:i HttpEndpoint:s HttpProtocolIpv6:s InstanceMetadataTags:s',
  LaunchTemplateInstanceMetadataOptionsRequest:
    'HttpTokens=HttpTokens:s HttpPutResponseHopLimit=HttpPutResponseHopLimit:i HttpEndpoint=HttpEndpoint:s HttpProtocolIpv6=HttpProtocolIpv6:s InstanceMetadataTags=InstanceMetadataTags:s',
  LaunchTemplateInstanceNetworkInterfaceSpecification:
    'AssociateCarrierIpAddress:b AssociatePublicIpAddress:b DeleteOnTermination:b Description:s DeviceIndex:i Groups=groupSet|GroupSet:[groupId]s InterfaceType:s Ipv6AddressCount:i Ipv6Addresses=ipv6AddressesSet|Ipv6AddressesSet:[item]{InstanceIpv6Address} NetworkInterfaceId:s PrivateIpAddress:s PrivateIpAddresses=privateIpAddressesSet|PrivateIpAddressesSet:[item]{PrivateIpAddressSpecification} SecondaryPrivateIpAddressCount:i SubnetId:s NetworkCardIndex:i Ipv4Prefixes=ipv4PrefixSet|Ipv4PrefixSet:[item]{Ipv4PrefixSpecificationResponse} Ipv4PrefixCount:i Ipv6Prefixes=ipv6PrefixSet|Ipv6PrefixSet:[item]{Ipv6PrefixSpecificationResponse} Ipv6PrefixCount:i PrimaryIpv6:b EnaSrdSpecification:{LaunchTemplateEnaSrdSpecification} ConnectionTrackingSpecification:{ConnectionTrackingSpecification} EnaQueueCount:i',
  LaunchTemplateInstanceNetworkInterfaceSpecificationRequest:
    'AssociateCarrierIpAddress=AssociateCarrierIpAddress:b AssociatePublicIpAddress=AssociatePublicIpAddress:b DeleteOnTermination=DeleteOnTermination:b Description=Description:s DeviceIndex=DeviceIndex:i Groups=SecurityGroupId|SecurityGroupId:[SecurityGroupId]s InterfaceType=InterfaceType:s Ipv6AddressCount=Ipv6AddressCount:i Ipv6Addresses=Ipv6Addresses:[InstanceIpv6Address]{InstanceIpv6AddressRequest} NetworkInterfaceId=NetworkInterfaceId:s PrivateIpAddress=PrivateIpAddress:s PrivateIpAddresses=PrivateIpAddresses:[item]{PrivateIpAddressSpecification} SecondaryPrivateIpAddressCount=SecondaryPrivateIpAddressCount:i SubnetId=SubnetId:s NetworkCardIndex=NetworkCardIndex:i Ipv4Prefixes=Ipv4Prefix|Ipv4Prefix:[item]{Ipv4PrefixSpecificationRequest} Ipv4PrefixCount=Ipv4PrefixCount:i Ipv6Prefixes=Ipv6Prefix|Ipv6Prefix:[item]{Ipv6PrefixSpecificationRequest} Ipv6PrefixCount=Ipv6PrefixCount:i PrimaryIpv6=PrimaryIpv6:b EnaSrdSpecification=EnaSrdSpecification:{EnaSrdSpecificationRequest} ConnectionTrackingSpecification=ConnectionTrackingSpecification:{ConnectionTrackingSpecificationRequest} EnaQueueCount=EnaQueueCount:i',
  LaunchTemplateInstanceSecondaryInterfaceSpecification:
    'DeleteOnTermination:b DeviceIndex:i PrivateIpAddresses=privateIpAddressesSet|PrivateIpAddressesSet:[item]{SecondaryInterfacePrivateIpAddressSpecification} PrivateIpAddressCount:i SecondarySubnetId:s InterfaceType:s NetworkCardIndex:i',
  LaunchTemplateInstanceSecondaryInterfaceSpecificationRequest:
    'DeleteOnTermination=DeleteOnTermination:b DeviceIndex=DeviceIndex:i PrivateIpAddresses=PrivateIpAddress|PrivateIpAddress:[SecondaryInterfacePrivateIpAddressSpecification]{SecondaryInterfacePrivateIpAddressSpecificationRequest} PrivateIpAddressCount=PrivateIpAddressCount:i SecondarySubnetId=SecondarySubnetId:s InterfaceType=InterfaceType:s NetworkCardIndex=NetworkCardIndex:i',
  LaunchTemplateLicenseConfiguration: 'LicenseConfigurationArn:s',
  LaunchTemplateLicenseConfigurationRequest: 'LicenseConfigurationArn=LicenseConfigurationArn:s',
  LaunchTemplateNetworkPerformanceOptions: 'BandwidthWeighting:s',
  LaunchTemplateNetworkPerformanceOptionsRequest: 'BandwidthWeighting=BandwidthWeighting:s',
  LaunchTemplatePlacement:
    'AvailabilityZone:s AvailabilityZoneId:s Affinity:s GroupName:s HostId:s Tenancy:s SpreadDomain:s HostResourceGroupArn:s PartitionNumber:i GroupId:s',
  LaunchTemplatePlacementRequest:
    'AvailabilityZone=AvailabilityZone:s AvailabilityZoneId=AvailabilityZoneId:s Affinity=Affinity:s GroupName=GroupName:s HostId=HostId:s Tenancy=Tenancy:s SpreadDomain=SpreadDomain:s HostResourceGroupArn=HostResourceGroupArn:s PartitionNumber=PartitionNumber:i GroupId=GroupId:s',
  LaunchTemplatePrivateDnsNameOptions:
    'HostnameType:s EnableResourceNameDnsARecord:b EnableResourceNameDnsAAAARecord:b',
  LaunchTemplatePrivateDnsNameOptionsRequest:
    'HostnameType=HostnameType:s EnableResourceNameDnsARecord=EnableResourceNameDnsARecord:b EnableResourceNameDnsAAAARecord=EnableResourceNameDnsAAAARecord:b',
  LaunchTemplateSpecification:
    'LaunchTemplateId=LaunchTemplateId:s LaunchTemplateName=LaunchTemplateName:s Version=Version:s',
  LaunchTemplateSpotMarketOptions:
    'MaxPrice:s SpotInstanceType:s BlockDurationMinutes:i ValidUntil:t InstanceInterruptionBehavior:s',
  LaunchTemplateSpotMarketOptionsRequest:
    'MaxPrice=MaxPrice:s SpotInstanceType=SpotInstanceType:s BlockDurationMinutes=BlockDurationMinutes:i ValidUntil=ValidUntil:t InstanceInterruptionBehavior=InstanceInterruptionBehavior:s',
  LaunchTemplateTagSpecification: 'ResourceType:s Tags=tagSet|TagSet:[item]{Tag}',
  LaunchTemplateTagSpecificationRequest: 'ResourceType=ResourceType:s Tags=Tag|Tag:[item]{Tag}',
  LaunchTemplateVersion:
    'LaunchTemplateId:s LaunchTemplateName:s VersionNumber:i VersionDescription:s CreateTime:t CreatedBy:s DefaultVersion:b LaunchTemplateData:{ResponseLaunchTemplateData} Operator:{OperatorResponse}',
  LaunchTemplatesMonitoring: 'Enabled:b',
  LaunchTemplatesMonitoringRequest: 'Enabled=Enabled:b',
  LicenseConfiguration: 'LicenseConfigurationArn:s',
  LicenseConfigurationRequest: 'LicenseConfigurationArn=LicenseConfigurationArn:s',
  MediaAcceleratorInfo: 'Accelerators:[item]{MediaDeviceInfo} TotalMediaMemoryInMiB:i',
  MediaDeviceInfo: 'Count:i Name:s Manufacturer:s MemoryInfo:{MediaDeviceMemoryInfo}',
  MediaDeviceMemoryInfo: 'SizeInMiB:i',
  MemoryGiBPerVCpu: 'Min:d Max:d',
  MemoryGiBPerVCpuRequest: 'Min=Min:d Max=Max:d',
  MemoryInfo: 'SizeInMiB:i',
  MemoryMiB: 'Min:i Max:i',
  MemoryMiBRequest: 'Min=Min:i! Max=Max:i',
  Monitoring: 'State:s',
  NetworkBandwidthGbps: 'Min:d Max:d',
  NetworkBandwidthGbpsRequest: 'Min=Min:d Max=Max:d',
  NetworkCardInfo:
    'NetworkCardIndex:i NetworkPerformance:s MaximumNetworkInterfaces:i AdditionalFlexibleNetworkInterfaces:i BaselineBandwidthInGbps:d PeakBandwidthInGbps:d DefaultEnaQueueCountPerInterface:i MaximumEnaQueueCount:i MaximumEnaQueueCountPerInterface:i InterfaceTypes=interfaceTypeSet|InterfaceTypeSet:[item]s',
  NetworkInfo:
    'NetworkPerformance:s MaximumNetworkInterfaces:i MaximumNetworkCards:i DefaultNetworkCardIndex:i NetworkCards:[item]{NetworkCardInfo} Ipv4AddressesPerInterface:i Ipv6AddressesPerInterface:i Ipv6Supported:b EnaSupport:s EfaSupported:b EfaInfo:{EfaInfo} EncryptionInTransitSupported:b EnaSrdSupported:b BandwidthWeightings:[item]s FlexibleEnaQueuesSupport:s ConnectionTrackingConfiguration:{DefaultConnectionTrackingConfiguration} SecondaryNetworkSupported:b MaximumSecondaryNetworkInterfaces:i Ipv4AddressesPerSecondaryInterface:i',
  NetworkInterfaceCount: 'Min:i Max:i',
  NetworkInterfaceCountRequest: 'Min=Min:i Max=Max:i',
  NeuronDeviceCoreInfo: 'Count:i Version:i',
  NeuronDeviceInfo: 'Count:i Name:s CoreInfo:{NeuronDeviceCoreInfo} MemoryInfo:{NeuronDeviceMemoryInfo}',
  NeuronDeviceMemoryInfo: 'SizeInMiB:i',
  NeuronInfo: 'NeuronDevices:[item]{NeuronDeviceInfo} TotalNeuronDeviceMemoryInMiB:i',
  NitroTpmInfo: 'SupportedVersions:[item]s',
  OnDemandOptionsRequest:
    'AllocationStrategy=AllocationStrategy:s CapacityReservationOptions=CapacityReservationOptions:{CapacityReservationOptionsRequest} SingleInstanceType=SingleInstanceType:b SingleAvailabilityZone=SingleAvailabilityZone:b MinTargetCapacity=MinTargetCapacity:i MaxTotalPrice=MaxTotalPrice:s',
  OperatorRequest: 'Principal=Principal:s',
  OperatorResponse: 'Managed:b Principal:s HiddenByDefault:b',
  PerformanceFactorReference: 'InstanceFamily:s',
  PerformanceFactorReferenceRequest: 'InstanceFamily=InstanceFamily:s',
  PerformanceStatusSummary: 'Status:s ImpairedSince:t Remediation:s',
  Placement:
    'AvailabilityZoneId:s Affinity:s GroupName:s PartitionNumber:i HostId:s Tenancy:s SpreadDomain:s HostResourceGroupArn:s GroupId:s AvailabilityZone:s',
  PlacementGroup:
    'GroupName:s State:s Strategy:s PartitionCount:i GroupId:s Tags=tagSet|TagSet:[item]{Tag} GroupArn:s SpreadLevel:s LinkedGroupId:s Operator:{OperatorResponse} ParentGroupId:s',
  PlacementGroupInfo: 'SupportedStrategies:[item]s',
  PlacementResponse: 'GroupName:s',
  PrefixListId: 'Description:s PrefixListId:s',
  PrivateDnsNameOptionsOnLaunch:
    'HostnameType:s EnableResourceNameDnsARecord:b EnableResourceNameDnsAAAARecord:b',
  PrivateDnsNameOptionsRequest:
    'HostnameType=HostnameType:s EnableResourceNameDnsARecord=EnableResourceNameDnsARecord:b EnableResourceNameDnsAAAARecord=EnableResourceNameDnsAAAARecord:b',
  PrivateDnsNameOptionsResponse:
    'HostnameType:s EnableResourceNameDnsARecord:b EnableResourceNameDnsAAAARecord:b',
  PrivateIpAddressSpecification: 'Primary:b PrivateIpAddress:s',
  ProcessorInfo:
    'SupportedArchitectures:[item]s SustainedClockSpeedInGhz:d SupportedFeatures:[item]s Manufacturer:s',
  ProductCode: 'ProductCodeId=productCode|ProductCode:s ProductCodeType=type|Type:s',
  RebootInstancesRequest: 'InstanceIds=InstanceId|InstanceId:[InstanceId]s! DryRun:b',
  RequestLaunchTemplateData:
    'KernelId=KernelId:s EbsOptimized=EbsOptimized:b IamInstanceProfile=IamInstanceProfile:{LaunchTemplateIamInstanceProfileSpecificationRequest} BlockDeviceMappings=BlockDeviceMapping|BlockDeviceMapping:[BlockDeviceMapping]{LaunchTemplateBlockDeviceMappingRequest} NetworkInterfaces=NetworkInterface|NetworkInterface:[InstanceNetworkInterfaceSpecification]{LaunchTemplateInstanceNetworkInterfaceSpecificationRequest} ImageId=ImageId:s InstanceType=InstanceType:s KeyName=KeyName:s Monitoring=Monitoring:{LaunchTemplatesMonitoringRequest} Placement=Placement:{LaunchTemplatePlacementRequest} RamDiskId=RamDiskId:s DisableApiTermination=DisableApiTermination:b InstanceInitiatedShutdownBehavior=InstanceInitiatedShutdownBehavior:s UserData=UserData:s TagSpecifications=TagSpecification|TagSpecification:[LaunchTemplateTagSpecificationRequest]{LaunchTemplateTagSpecificationRequest} ElasticGpuSpecifications=ElasticGpuSpecification|ElasticGpuSpecification:[ElasticGpuSpecification]{ElasticGpuSpecification} ElasticInferenceAccelerators=ElasticInferenceAccelerator|ElasticInferenceAccelerator:[item]{LaunchTemplateElasticInferenceAccelerator} SecurityGroupIds=SecurityGroupId|SecurityGroupId:[SecurityGroupId]s SecurityGroups=SecurityGroup|SecurityGroup:[SecurityGroup]s InstanceMarketOptions=InstanceMarketOptions:{LaunchTemplateInstanceMarketOptionsRequest} CreditSpecification=CreditSpecification:{CreditSpecificationRequest} CpuOptions=CpuOptions:{LaunchTemplateCpuOptionsRequest} CapacityReservationSpecification=CapacityReservationSpecification:{LaunchTemplateCapacityReservationSpecificationRequest} LicenseSpecifications=LicenseSpecification|LicenseSpecification:[item]{LaunchTemplateLicenseConfigurationRequest} HibernationOptions=HibernationOptions:{LaunchTemplateHibernationOptionsRequest} MetadataOptions=MetadataOptions:{LaunchTemplateInstanceMetadataOptionsRequest} EnclaveOptions=EnclaveOptions:{LaunchTemplateEnclaveOptionsRequest} InstanceRequirements=InstanceRequirements:{InstanceRequirementsRequest} PrivateDnsNameOptions=PrivateDnsNameOptions:{LaunchTemplatePrivateDnsNameOptionsRequest} MaintenanceOptions=MaintenanceOptions:{LaunchTemplateInstanceMaintenanceOptionsRequest} DisableApiStop=DisableApiStop:b Operator=Operator:{OperatorRequest} NetworkPerformanceOptions=NetworkPerformanceOptions:{LaunchTemplateNetworkPerformanceOptionsRequest} SecondaryInterfaces=SecondaryInterface|SecondaryInterface:[InstanceSecondaryInterfaceSpecification]{LaunchTemplateInstanceSecondaryInterfaceSpecificationRequest}',
  Reservation:
    'ReservationId:s OwnerId:s RequesterId:s Groups=groupSet|GroupSet:[item]{GroupIdentifier} Instances=instancesSet|InstancesSet:[item]{Instance}',
  ReservedCapacityFallbackOptionsRequest: 'MarketTypes=MarketType|MarketType:[item]s',
  ReservedCapacityOptionsRequest:
    'AllocationStrategy=AllocationStrategy:s ReservationTypes=ReservationType|ReservationType:[ReservationType]s CapacityReservationTarget=CapacityReservationTarget:{FleetCapacityReservationTargetRequest} ReservedCapacityFallbackOptions=ReservedCapacityFallbackOptions:{ReservedCapacityFallbackOptionsRequest}',
  ResponseLaunchTemplateData:
    'KernelId:s EbsOptimized:b IamInstanceProfile:{LaunchTemplateIamInstanceProfileSpecification} BlockDeviceMappings=blockDeviceMappingSet|BlockDeviceMappingSet:[item]{LaunchTemplateBlockDeviceMapping} NetworkInterfaces=networkInterfaceSet|NetworkInterfaceSet:[item]{LaunchTemplateInstanceNetworkInterfaceSpecification} ImageId:s InstanceType:s KeyName:s Monitoring:{LaunchTemplatesMonitoring} Placement:{LaunchTemplatePlacement} RamDiskId:s DisableApiTermination:b InstanceInitiatedShutdownBehavior:s UserData:s TagSpecifications=tagSpecificationSet|TagSpecificationSet:[item]{LaunchTemplateTagSpecification} ElasticGpuSpecifications=elasticGpuSpecificationSet|ElasticGpuSpecificationSet:[item]{ElasticGpuSpecificationResponse} ElasticInferenceAccelerators=elasticInferenceAcceleratorSet|ElasticInferenceAcceleratorSet:[item]{LaunchTemplateElasticInferenceAcceleratorResponse} SecurityGroupIds=securityGroupIdSet|SecurityGroupIdSet:[item]s SecurityGroups=securityGroupSet|SecurityGroupSet:[item]s InstanceMarketOptions:{LaunchTemplateInstanceMarketOptions} CreditSpecification:{CreditSpecification} CpuOptions:{LaunchTemplateCpuOptions} CapacityReservationSpecification:{LaunchTemplateCapacityReservationSpecificationResponse} LicenseSpecifications=licenseSet|LicenseSet:[item]{LaunchTemplateLicenseConfiguration} HibernationOptions:{LaunchTemplateHibernationOptions} MetadataOptions:{LaunchTemplateInstanceMetadataOptions} EnclaveOptions:{LaunchTemplateEnclaveOptions} InstanceRequirements:{InstanceRequirements} PrivateDnsNameOptions:{LaunchTemplatePrivateDnsNameOptions} MaintenanceOptions:{LaunchTemplateInstanceMaintenanceOptions} DisableApiStop:b Operator:{OperatorResponse} NetworkPerformanceOptions:{LaunchTemplateNetworkPerformanceOptions} SecondaryInterfaces=secondaryInterfaceSet|SecondaryInterfaceSet:[item]{LaunchTemplateInstanceSecondaryInterfaceSpecification}',
  Route:
    'DestinationCidrBlock:s DestinationIpv6CidrBlock:s DestinationPrefixListId:s EgressOnlyInternetGatewayId:s GatewayId:s InstanceId:s InstanceOwnerId:s NatGatewayId:s TransitGatewayId:s LocalGatewayId:s CarrierGatewayId:s NetworkInterfaceId:s Origin:s State:s VpcPeeringConnectionId:s CoreNetworkArn:s',
  RouteTable:
    'Associations=associationSet|AssociationSet:[item]{RouteTableAssociation} RouteTableId:s Routes=routeSet|RouteSet:[item]{Route} Tags=tagSet|TagSet:[item]{Tag} VpcId:s OwnerId:s',
  RouteTableAssociation: 'Main:b RouteTableAssociationId:s RouteTableId:s SubnetId:s GatewayId:s',
  RunInstancesMonitoringEnabled: 'Enabled:b!',
  RunInstancesRequest:
    'BlockDeviceMappings=BlockDeviceMapping|BlockDeviceMapping:[BlockDeviceMapping]{BlockDeviceMapping} ImageId=ImageId:s InstanceType=InstanceType:s Ipv6AddressCount=Ipv6AddressCount:i Ipv6Addresses=Ipv6Address|Ipv6Address:[item]{InstanceIpv6Address} KernelId=KernelId:s KeyName=KeyName:s MaxCount=MaxCount:i! MinCount=MinCount:i! Monitoring=Monitoring:{RunInstancesMonitoringEnabled} Placement=Placement:{Placement} RamdiskId=RamdiskId:s SecurityGroupIds=SecurityGroupId|SecurityGroupId:[SecurityGroupId]s SecurityGroups=SecurityGroup|SecurityGroup:[SecurityGroup]s SubnetId=SubnetId:s UserData=UserData:s ElasticGpuSpecification=ElasticGpuSpecification:[item]{ElasticGpuSpecification} ElasticInferenceAccelerators=ElasticInferenceAccelerator|ElasticInferenceAccelerator:[item]{ElasticInferenceAccelerator} TagSpecifications=TagSpecification|TagSpecification:[item]{TagSpecification} LaunchTemplate=LaunchTemplate:{LaunchTemplateSpecification} InstanceMarketOptions=InstanceMarketOptions:{InstanceMarketOptionsRequest} CreditSpecification=CreditSpecification:{CreditSpecificationRequest} CpuOptions=CpuOptions:{CpuOptionsRequest} CapacityReservationSpecification=CapacityReservationSpecification:{CapacityReservationSpecification} HibernationOptions=HibernationOptions:{HibernationOptionsRequest} LicenseSpecifications=LicenseSpecification|LicenseSpecification:[item]{LicenseConfigurationRequest} MetadataOptions=MetadataOptions:{InstanceMetadataOptionsRequest} EnclaveOptions=EnclaveOptions:{EnclaveOptionsRequest} PrivateDnsNameOptions=PrivateDnsNameOptions:{PrivateDnsNameOptionsRequest} MaintenanceOptions=MaintenanceOptions:{InstanceMaintenanceOptionsRequest} DisableApiStop=DisableApiStop:b EnablePrimaryIpv6=EnablePrimaryIpv6:b NetworkPerformanceOptions=NetworkPerformanceOptions:{InstanceNetworkPerformanceOptionsRequest} Operator=Operator:{OperatorRequest} SecondaryInterfaces=SecondaryInterface|SecondaryInterface:[item]{InstanceSecondaryInterfaceSpecificationRequest} DryRun:b DisableApiTermination:b InstanceInitiatedShutdownBehavior:s PrivateIpAddress:s ClientToken:s AdditionalInfo:s NetworkInterfaces=networkInterface|NetworkInterface:[item]{InstanceNetworkInterfaceSpecification} IamInstanceProfile:{IamInstanceProfileSpecification} EbsOptimized:b',
  ScanResults:
    'HighestFindingSeverityLabel:s FindingScanDate:t InformationalFixAvailableSince:t LowFixAvailableSince:t MediumFixAvailableSince:t HighFixAvailableSince:t CriticalFixAvailableSince:t',
  SecondaryInterfacePrivateIpAddressSpecification: 'PrivateIpAddress:s',
  SecondaryInterfacePrivateIpAddressSpecificationRequest: 'PrivateIpAddress=PrivateIpAddress:s',
  SecurityGroup:
    'GroupId:s IpPermissionsEgress:[item]{IpPermission} Tags=tagSet|TagSet:[item]{Tag} VpcId:s SecurityGroupArn:s OwnerId:s GroupName:s Description=groupDescription|GroupDescription:s IpPermissions:[item]{IpPermission}',
  SecurityGroupIdentifier: 'GroupId:s GroupName:s',
  SpotMarketOptions:
    'MaxPrice=MaxPrice:s SpotInstanceType=SpotInstanceType:s BlockDurationMinutes=BlockDurationMinutes:i ValidUntil=ValidUntil:t InstanceInterruptionBehavior=InstanceInterruptionBehavior:s',
  SpotOptionsRequest:
    'AllocationStrategy=AllocationStrategy:s MaintenanceStrategies=MaintenanceStrategies:{FleetSpotMaintenanceStrategiesRequest} InstanceInterruptionBehavior=InstanceInterruptionBehavior:s InstancePoolsToUseCount=InstancePoolsToUseCount:i SingleInstanceType=SingleInstanceType:b SingleAvailabilityZone=SingleAvailabilityZone:b MinTargetCapacity=MinTargetCapacity:i MaxTotalPrice=MaxTotalPrice:s',
  SpotPrice:
    'AvailabilityZone:s AvailabilityZoneId:s InstanceType:s ProductDescription:s SpotPrice:s Timestamp:t',
  StateReason: 'Code:s Message:s',
  Subnet:
    'AvailabilityZoneId:s EnableLniAtDeviceIndex:i MapCustomerOwnedIpOnLaunch:b CustomerOwnedIpv4Pool:s OwnerId:s AssignIpv6AddressOnCreation:b Ipv6CidrBlockAssociationSet:[item]{SubnetIpv6CidrBlockAssociation} Tags=tagSet|TagSet:[item]{Tag} SubnetArn:s OutpostArn:s EnableDns64:b Ipv6Native:b PrivateDnsNameOptionsOnLaunch:{PrivateDnsNameOptionsOnLaunch} BlockPublicAccessStates:{BlockPublicAccessStates} Type:s SubnetId:s State:s VpcId:s CidrBlock:s AvailableIpAddressCount:i AvailabilityZone:s DefaultForAz:b MapPublicIpOnLaunch:b',
  SubnetCidrBlockState: 'State:s StatusMessage:s',
  SubnetIpv6CidrBlockAssociation:
    'AssociationId:s Ipv6CidrBlock:s Ipv6CidrBlockState:{SubnetCidrBlockState} Ipv6AddressAttribute:s IpSource:s',
  Tag: 'Key:s Value:s',
  TagSpecification: 'ResourceType:s Tags=Tag|Tag:[item]{Tag}',
  TargetCapacitySpecificationRequest:
    'TotalTargetCapacity=TotalTargetCapacity:i! OnDemandTargetCapacity=OnDemandTargetCapacity:i SpotTargetCapacity=SpotTargetCapacity:i DefaultTargetCapacityType=DefaultTargetCapacityType:s TargetCapacityUnitType=TargetCapacityUnitType:s',
  TerminateInstancesRequest:
    'InstanceIds=InstanceId|InstanceId:[InstanceId]s! Force=Force:b SkipOsShutdown=SkipOsShutdown:b DryRun:b',
  TerminateInstancesResult: 'TerminatingInstances=instancesSet|InstancesSet:[item]{InstanceStateChange}',
  TotalLocalStorageGB: 'Min:d Max:d',
  TotalLocalStorageGBRequest: 'Min=Min:d Max=Max:d',
  UserIdGroupPair:
    'Description:s UserId:s GroupName:s GroupId:s VpcId:s VpcPeeringConnectionId:s PeeringStatus:s',
  VCpuCountRange: 'Min:i Max:i',
  VCpuCountRangeRequest: 'Min=Min:i! Max=Max:i',
  VCpuInfo:
    'DefaultVCpus:i DefaultCores:i DefaultThreadsPerCore:i ValidCores:[item]i ValidThreadsPerCore:[item]i',
  ValidationError: 'Code:s Message:s',
  ValidationWarning: 'Errors=errorSet|ErrorSet:[item]{ValidationError}',
  Vpc: 'OwnerId:s InstanceTenancy:s Ipv6CidrBlockAssociationSet:[item]{VpcIpv6CidrBlockAssociation} CidrBlockAssociationSet:[item]{VpcCidrBlockAssociation} IsDefault:b EncryptionControl:{VpcEncryptionControl} Tags=tagSet|TagSet:[item]{Tag} BlockPublicAccessStates:{BlockPublicAccessStates} VpcId:s State:s CidrBlock:s DhcpOptionsId:s',
  VpcCidrBlockAssociation: 'AssociationId:s CidrBlock:s CidrBlockState:{VpcCidrBlockState}',
  VpcCidrBlockState: 'State:s StatusMessage:s',
  VpcEncryptionControl:
    'VpcId:s VpcEncryptionControlId:s Mode:s State:s StateMessage:s ResourceExclusions:{VpcEncryptionControlExclusions} Tags=tagSet|TagSet:[item]{Tag}',
  VpcEncryptionControlExclusion: 'State:s StateMessage:s',
  VpcEncryptionControlExclusions:
    'InternetGateway:{VpcEncryptionControlExclusion} EgressOnlyInternetGateway:{VpcEncryptionControlExclusion} NatGateway:{VpcEncryptionControlExclusion} VirtualPrivateGateway:{VpcEncryptionControlExclusion} VpcPeering:{VpcEncryptionControlExclusion} Lambda:{VpcEncryptionControlExclusion} VpcLattice:{VpcEncryptionControlExclusion} ElasticFileSystem:{VpcEncryptionControlExclusion}',
  VpcEndpoint:
    'VpcEndpointId:s VpcEndpointType:s VpcId:s ServiceName:s State:s PolicyDocument:s RouteTableIds=routeTableIdSet|RouteTableIdSet:[item]s SubnetIds=subnetIdSet|SubnetIdSet:[item]s Groups=groupSet|GroupSet:[item]{SecurityGroupIdentifier} PrivateDnsEnabled:b Tags=tagSet|TagSet:[item]{Tag} OwnerId:s',
  VpcIpv6CidrBlockAssociation:
    'AssociationId:s Ipv6CidrBlock:s Ipv6CidrBlockState:{VpcCidrBlockState} NetworkBorderGroup:s Ipv6Pool:s Ipv6AddressAttribute:s IpSource:s',
};
