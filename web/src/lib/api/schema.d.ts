// Written by hand until the gateway's document is there.
type Money = string;
type Answer<T> = { responses: { 200: { content: { 'application/json': { code: number; msg: string; data: T } } } } };
type Post<B, T> = { post: { requestBody: { content: { 'application/json': B } } } & Answer<T> };
type Get<Q, T> = { get: { parameters: { query?: Q } } & Answer<T> };
type Page<T> = { items: T[]; next_cursor: string | null };
type Cursor = { cursor?: string; limit?: number };
type S = components['schemas'];

export interface components {
  schemas: {
    ServiceEntry: { id: string; type: number; url: string; label: string };
    UserInfo: {
      id: string; username: string; nickname: string; email: string; phone: string; avatar_url: string | null;
      credit_score: number; shop_level: number; deposit: Money; proxy_operator_id: string | null; licenseKey: string | null;
      entry: 'register' | 'host'; lang: string | null; vip: boolean; has_pay_password: boolean; has_bank_card: boolean;
      state: 'active' | 'not_activated' | 'disabled' | 'cancelled';
      customer_service_url: S['ServiceEntry'][]; recharge_customer_service_url: S['ServiceEntry'][]; created_at: string;
    };
    Session: { token: string; expires_at: string; user: S['UserInfo'] };
    Audience: { regions: string[]; age_min: number; age_max: number; gender: 'any' | 'female' | 'male' };
    Product: {
      id: string; name: string; icon_url: string | null; cover_url: string | null; category: string; description: string;
      game_description: string; content_types: ('video' | 'landing_page')[]; put_min: Money; put_max: Money; audience: S['Audience'];
    };
    ProductDetail: S['Product'] & { coupons: S['Coupon'][] };
    PlanStatus: 'waiting' | 'matching' | 'putting' | 'put_failed' | 'put_finished' | 'waiting_settlement' | 'settled';
    Plan: {
      id: string; plan_number: string; product: { id: string; name: string; icon_url: string | null };
      put_amount: Money; paid_amount: Money; discount_amount: Money; put_progress: number; status: S['PlanStatus'];
      official: boolean; operator_id: string | null; put_content: string; put_rule: string; user_targeting: S['Audience'];
      impressions: number; clicks: number; consumed: Money; to_be_consumed: Money; revenue: Money; profit: Money;
      coupon: { id: string; name: string } | null; fail_reason: string | null; create_time: string; put_time: string | null;
      finish_time: string | null; settle_time: string | null;
    };
    SeriesPoint: { time: string; impressions: number; clicks: number; consumed: Money; revenue: Money };
    PlanDetail: S['Plan'] & {
      timeline: { status: S['PlanStatus']; time: string }[]; series: S['SeriesPoint'][]; flow: S['FlowEntry'][];
    };
    Coupon: {
      id: string; name: string; type: 'increment' | 'deduction' | 'team' | 'custom' | 'fixed_amount';
      mode: 'discount' | 'deduction' | 'addition'; value: string; amount_requirement: Money; expires_at: string;
      state: 'unused' | 'used' | 'expired'; used_at: string | null; plan_id: string | null; source: 'new_user' | 'periodic' | 'staff';
    };
    Claimable: { campaign_id: string; name: string; kind: 'new_user' | 'periodic'; mode: S['Coupon']['mode']; value: string; claimed: boolean };
    FlowType: 'system_top_up' | 'manual_payout' | 'ad_billing' | 'ad_serving' | 'system_chargeback' | 'virtual_recharge_deduction'
      | 'open_membership' | 'profit_sharing' | 'discount_amount' | 'exchange' | 'start_up_funds';
    FlowEntry: {
      id: string; time: string; type: S['FlowType']; amount: Money; balance_after: Money; remark: string | null;
      reference: string | null; hash: string;
    };
    MonthlyEntry: { month: string; income: Money; expense: Money; net: Money; by_type: { [type: string]: Money } };
    Notification: {
      id: string; category: 'announcement' | 'maintenance' | 'activity'; title: string; content: string; read: boolean; time: string;
    };
    Statistics: {
      type: number; from: string; to: string; invested: Money; delivery_orders: number; consumed: Money; to_be_consumed: Money;
      impressions: number; clicks: number; revenue: Money; profit: Money; ctr?: string | null; cpc?: string | null; roas?: string | null; series: S['SeriesPoint'][];
    };
    Property: {
      currency: string; total_assets: Money; available_funds: Money; to_be_consumed: Money; to_be_settled: Money;
      discount_amount: Money; start_up_funds_outstanding: Money; withdrawing: Money;
    };
  };
}

export interface paths {
  '/auth/v2/login': Post<{ username: string; password: string }, S['Session']>;
  '/auth/v2/register': Post<
    { username: string; nickname?: string; password: string; confirm_password: string; email: string; phone: string; licenseKey: string },
    S['Session']
  >;
  '/auth/logout': Post<Record<string, never>, Record<string, never>>;
  '/opening_store': Post<{ code: string }, S['Session']>;
  '/user/info': Get<Record<string, never>, S['UserInfo']>;
  '/user/property': Get<Record<string, never>, S['Property']>;
  '/ad/order/data_statistics/list': Get<{ type?: number; user_time_zone?: string }, S['Statistics']>;
  '/plan/product/list': Get<Cursor, Page<S['Product']>>;
  '/plan/order/list': Get<Cursor & { push?: string; status?: S['PlanStatus'] }, Page<S['Plan']> & { counts: { [status: string]: number } }>;
  '/plan/order/detail': Post<{ id: string }, S['PlanDetail']>;
  '/plan/order/app/detail': Post<{ product_id: string }, S['ProductDetail']>;
  '/plan/order/put': Post<{ plan_id?: string; product_id?: string; amount: Money; user_coupon_id?: string }, S['Plan']>;
  '/user_coupon/list': Get<
    Cursor & { state?: S['Coupon']['state'] },
    Page<S['Coupon']> & { counts: { [state: string]: number }; claimable: S['Claimable'][] }
  >;
  '/user_coupon/receive': Post<{ campaign_id?: string }, S['Coupon']>;
  '/user/notifications': Post<Cursor & { category?: string; filter?: string }, Page<S['Notification']> & { unread_total: number }>;
  '/user/notifications/read': Post<{ id?: string; all?: boolean; category?: string }, { unread_total: number }>;
  '/user/notifications/unread_count': Post<Record<string, never>, { unread_total: number }>;
  '/transaction_flow/list': Get<Cursor & { type?: S['FlowType']; month?: string }, Page<S['FlowEntry']>>;
  '/transaction_flow/monthly': Get<{ months?: number }, { items: S['MonthlyEntry'][] }>;
}
