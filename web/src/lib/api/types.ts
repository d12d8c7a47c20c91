import type { components } from './schema';

type Schemas = components['schemas'];

export type ServiceEntry = Schemas['ServiceEntry'];
export type UserInfo = Schemas['UserInfo'];
export type Session = Schemas['Session'];
export type Audience = Schemas['Audience'];
export type Product = Schemas['Product'];
export type ProductDetail = Schemas['AppDetail'];
export type Plan = Schemas['Plan'];
export type PlanStatus = Schemas['PlanStatus'];
export type PlanDetail = Schemas['PlanDetail'];
export type SeriesPoint = Schemas['SeriesPoint'];
export type Coupon = Schemas['Coupon'];
export type CouponState = Coupon['state'];
export type Claimable = Schemas['Claimable'];
export type FlowEntry = Schemas['FlowEntry'];
export type FlowType = Schemas['FlowType'];
export type MonthlyEntry = Schemas['MonthSummary'];
export type Notification = Schemas['Notification'];
export type StatisticsType = Schemas['StatisticsType'];
export type Statistics = Schemas['Statistics'];
export type Property = Schemas['Property'];
export type BasicConfig = Schemas['BasicConfig'];
export type Faq = Schemas['Faq'];
export type Follow = Schemas['Follow'];
export type UploadedFile = Schemas['UploadedFile'];
export type Acceptor = Schemas['Acceptor'];
export type AcceptorKind = Schemas['AcceptorKind'];
export type AcceptorDetail = Schemas['AcceptorDetail'];
export type ExchangeOffer = Schemas['Offer'];
export type ExchangeOrder = Schemas['ExchangeOrder'];
export type ExchangeStatus = Schemas['ExchangeStatus'];
export type Reason = Schemas['Reason'];
export type Withdrawal = Schemas['Withdrawal'];
export type WithdrawalMethod = Schemas['WithdrawalMethod'];
export type WithdrawalStatus = Schemas['WithdrawalStatus'];
export type WithdrawalTerms = Schemas['WithdrawalMethodConfig'];
export type BankCard = Schemas['BankCard'];
export type WalletAddress = Schemas['WalletAddress'];
export type OwnSession = Schemas['OwnSession'];
export type SecurityEntry = Schemas['SecurityEntry'];
export type Destination = Schemas['Destination'];
export type Destinations = Schemas['Destinations'];

/** A list answer: `next_cursor` is null on the last page. */
export type Page<T> = { items: T[]; next_cursor?: string | null };
