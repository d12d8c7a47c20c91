// Generated from gateway/openapi.json by `npm run generate`. Do not edit.

export interface paths {
    "/acceptor/detail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The acceptor and offer of an acceptance code, and the caller's pending exchange order.
         * @description The acceptor and offer of an acceptance code, and the caller's pending exchange order.
         *
         *     For: user. Reasons (code): `ACCEPTANCE_CODE_ERROR` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["getAcceptorDetail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/acceptor/order/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancels a pending exchange order.
         * @description Cancels a pending exchange order.
         *
         *     For: user. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["cancelExchange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/acceptor/order/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Opens an exchange order behind an acceptance code.
         * @description Opens an exchange order behind an acceptance code.
         *
         *     For: user. Reasons (code): `ACCEPTANCE_CODE_ERROR` 400, `EXCHANGE_LIMIT` 400, `EXCHANGE_OPEN` 400, `START_UP_FUNDS_NOT_RETURNED` 400, `WITHDRAWAL_COOLING_OFF` 400, `DAY_LIMIT_REACHED` 400, `WALLET_FROZEN` 400, `PAY_PASSWORD_NOT_SET` 400, `PAY_PASSWORD_LOCKED` 429, `WRONG_PAY_PASSWORD` 400, `INSUFFICIENT_BALANCE` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["createExchange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/acceptor/order/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's exchange orders, newest first.
         * @description The caller's exchange orders, newest first.
         *
         *     For: user. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listExchanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ad/order/data_statistics/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The ad centre's statistics.
         * @description The ad centre's statistics.
         *
         *     For: user. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/acceptance_code/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issues an acceptance code.
         * @description Issues an acceptance code. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["createAcceptanceCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/acceptor/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates an acceptor.
         * @description Creates an acceptor. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, finance. Reasons (code): `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["createAcceptor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/acceptor/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Acceptors, newest first.
         * @description Acceptors, newest first.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listAcceptors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/announcement/audience": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many active users an announcement to all would reach now.
         * @description How many active users an announcement to all would reach now. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support. Reasons (code): `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getAudience"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/announcement/detail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One of them, with its recipients.
         * @description One of them, with its recipients.
         *
         *     For: staff: admin, support. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getAnnouncement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/announcement/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes a scheduled announcement before it is published.
         * @description Changes a scheduled announcement before it is published. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support. Reasons (code): `NOT_FOUND` 405, `CHANGED_MEANWHILE` 400, `NOTHING_CHANGED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["editAnnouncement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/announcement/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What staff have published, scheduled or withdrawn, newest first.
         * @description What staff have published, scheduled or withdrawn, newest first.
         *
         *     For: staff: admin, support. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listAnnouncements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/announcement/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraws a scheduled announcement before it is published.
         * @description Withdraws a scheduled announcement before it is published. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support. Reasons (code): `NOT_FOUND` 405, `CHANGED_MEANWHILE` 400, `NOTHING_CHANGED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["withdrawAnnouncement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/approval/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approves what another person asked for, which posts it, or rejects it. Not for related accounts, nor for accounts younger than a day.
         * @description Approves what another person asked for, which posts it, or rejects it. Not for related accounts, nor for accounts younger than a day. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `INSUFFICIENT_BALANCE` 400, `AMOUNT_OUT_OF_RANGE` 400, `WALLET_FROZEN` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["decideApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/approval/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests by staff that another member of staff must approve, newest first.
         * @description Requests by staff that another member of staff must approve, newest first.
         *
         *     For: staff: admin, finance. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The audit log, newest first.
         * @description The audit log, newest first.
         *
         *     For: staff: admin. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/bank/line/aside": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sets a line aside that nobody is to be credited for, or takes that back.
         * @description Sets a line aside that nobody is to be credited for, or takes that back. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["setBankLineAside"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/bank/line/credit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Credits what a line says was paid in, once, whoever calls.
         * @description Credits what a line says was paid in, once, whoever calls. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `APPROVAL_REQUIRED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["creditBankLine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/bank/lines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lines of an account statement, in the order of the file.
         * @description Lines of an account statement, in the order of the file.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listBankLines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/bank/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reads an account statement (CAMT.053 or CSV) and keeps its lines; nothing is credited. A file with faults is not kept, and the answer names them.
         * @description Reads an account statement (CAMT.053 or CSV) and keeps its lines; nothing is credited. A file with faults is not kept, and the answer names them. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `FILE_TOO_LARGE` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["uploadBankStatement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/bank/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Account statements, newest first, with what became of their lines.
         * @description Account statements, newest first, with what became of their lines.
         *
         *     For: staff: admin, finance. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listBankStatements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Says for two minutes that the caller works on an item, or says so again. Answers who holds the claim, which is somebody else where they were first. It warns and blocks nobody, and is not audited.
         * @description Says for two minutes that the caller works on an item, or says so again. Answers who holds the claim, which is somebody else where they were first. It warns and blocks nobody, and is not audited. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `FORBIDDEN` 403, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["claimItem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/claim/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends the caller's claim on an item, if there is one.
         * @description Ends the caller's claim on an item, if there is one. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `FORBIDDEN` 403, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["releaseClaim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/claims": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Claims on items of one kind, newest first.
         * @description Claims on items of one kind, newest first.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `FORBIDDEN` 403, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listClaims"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The texts that staff edit.
         * @description The texts that staff edit. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getContent"];
        put?: never;
        /**
         * Replaces the texts that are sent.
         * @description Replaces the texts that are sent. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, operator. Reasons (code): `CHANGED_MEANWHILE` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["setContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/content/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes what an old version left the texts again, as a new version.
         * @description Makes what an old version left the texts again, as a new version. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, operator. Reasons (code): `NOT_FOUND` 405, `CHANGED_MEANWHILE` 400, `NOTHING_CHANGED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["restoreContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/content/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All texts as a version left them.
         * @description All texts as a version left them.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getContentVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/content/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Changes of the texts that staff edit, newest first.
         * @description Changes of the texts that staff edit, newest first.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listContentVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/coupon/campaign/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a campaign. One that may cost much is proposed, and released by a second person.
         * @description Creates a campaign. One that may cost much is proposed, and released by a second person. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, operator. Reasons (code): `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["createCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/coupon/campaign/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Releases or rejects a campaign that another person proposed.
         * @description Releases or rejects a campaign that another person proposed. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, operator. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["decideCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/coupon/campaign/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Campaigns, newest first, each with what it has cost so far.
         * @description Campaigns, newest first, each with what it has cost so far.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listCampaigns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/coupon/grant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Grants a user a coupon of a campaign, regardless of the claim rules.
         * @description Grants a user a coupon of a campaign, regardless of the claim rules. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, operator. Reasons (code): `NOT_FOUND` 405, `COUPON_NOT_USABLE` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["grantCoupon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/delivery/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Proposes delivery reports from a CSV or JSONL file; a second member of staff releases them.
         * @description Proposes delivery reports from a CSV or JSONL file; a second member of staff releases them. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, operator. Reasons (code): `FILE_TOO_LARGE` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["importDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/delivery/import/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Releases a proposed import, or rejects it, by another member of staff.
         * @description Releases a proposed import, or rejects it, by another member of staff. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance, operator. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["decideDeliveryImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/delivery/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Imports of delivery reports, newest first.
         * @description Imports of delivery reports, newest first.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listDeliveryImports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/delivery/quarantine/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Releases reports that the gate holds back, or rejects them. Who imported them never decides, and a release above the amount of four eyes takes another member of staff.
         * @description Releases reports that the gate holds back, or rejects them. Who imported them never decides, and a release above the amount of four eyes takes another member of staff. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance, operator. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `APPROVAL_REQUIRED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["decideQuarantinedReports"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/delivery/quarantine/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Delivery reports that the gate holds back, newest first.
         * @description Delivery reports that the gate holds back, newest first.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listQuarantinedReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/exchange/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Completes or cancels a pending exchange order. A large completion takes the same decision of a second person.
         * @description Completes or cancels a pending exchange order. A large completion takes the same decision of a second person. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `APPROVAL_REQUIRED` 400, `WALLET_FROZEN` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["decideExchange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/exchange/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Exchange orders of all users, newest first.
         * @description Exchange orders of all users, newest first.
         *
         *     For: staff: admin, finance. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listAllExchanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/feedback/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Closes feedback, with or without a reply to the user.
         * @description Closes feedback, with or without a reply to the user. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["closeFeedback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/feedback/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Feedback of all users, newest first.
         * @description Feedback of all users, newest first.
         *
         *     For: staff: admin, support. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listFeedback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/host/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Registers a host with its first key.
         * @description Registers a host with its first key. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["createHost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/host/key/add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adds a key to a host.
         * @description Adds a key to a host. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["addHostKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/host/key/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revokes a key of a host; sessions that were opened with it end.
         * @description Revokes a key of a host; sessions that were opened with it end. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["revokeHostKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/host/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Hosts with their keys, oldest first.
         * @description Hosts with their keys, oldest first. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin. Reasons (code): `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listHosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/license/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issues licence keys.
         * @description Issues licence keys. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support. Reasons (code): `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["createLicenses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/license/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Licence keys, newest first.
         * @description Licence keys, newest first.
         *
         *     For: staff: admin, support. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listLicenses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Opens a staff session.
         * @description Opens a staff session.
         *
         *     For: public. Reasons (code): `BAD_CREDENTIALS` 400, `ACCOUNT_DISABLED` 403, `SECOND_FACTOR_REQUIRED` 400, `VALIDATION` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["staffLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends the staff session.
         * @description Ends the staff session. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["staffLogout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's own account and session.
         * @description The caller's own account and session. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getStaffMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/network/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Registers a network and issues its first key, which is shown only here.
         * @description Registers a network and issues its first key, which is shown only here. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["createNetwork"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/network/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes a network, or pauses placing plans on it.
         * @description Changes a network, or pauses placing plans on it. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["editNetwork"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/network/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issues a further key of a network, which is shown only here; its earlier keys end after an overlap.
         * @description Issues a further key of a network, which is shown only here; its earlier keys end after an overlap. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["issueNetworkKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/network/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Networks with their valid keys, newest first.
         * @description Networks with their valid keys, newest first.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listNetworks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/notification/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publishes a notification to all or some users, at once or at a time.
         * @description Publishes a notification to all or some users, at once or at a time. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["createNotification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/operator/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a proxy operator.
         * @description Creates a proxy operator. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, operator. Reasons (code): `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["createOperator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/operator/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Proxy operators, newest first.
         * @description Proxy operators, newest first.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listOperators"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/passkey/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Shows the second factor in the session by a passkey. The session is fresh for 15 minutes.
         * @description Shows the second factor in the session by a passkey. The session is fresh for 15 minutes. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `SECOND_FACTOR_REQUIRED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["confirmWithPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/passkey/confirmation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begins to show a passkey in the session.
         * @description Begins to show a passkey in the session. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["startPasskeyConfirmation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/passkey/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Opens a staff session for a passkey. The second factor is shown in it.
         * @description Opens a staff session for a passkey. The second factor is shown in it.
         *
         *     For: public. Reasons (code): `BAD_CREDENTIALS` 400, `ACCOUNT_DISABLED` 403, `VALIDATION` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["loginWithPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/passkey/login_options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begins a login by passkey, which replaces user name, password and second factor. `UNAVAILABLE` where no passkeys are configured, as everywhere here.
         * @description Begins a login by passkey, which replaces user name, password and second factor. `UNAVAILABLE` where no passkeys are configured, as everywhere here.
         *
         *     For: public. Reasons (code): `VALIDATION` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["startPasskeyLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/passkey/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Registers a passkey of the caller. The second factor counts as shown in the session.
         * @description Registers a passkey of the caller. The second factor counts as shown in the session. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `FORBIDDEN` 403, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["registerPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/passkey/registration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begins the registration of a passkey of the caller, who has at most ten.
         * @description Begins the registration of a passkey of the caller, who has at most ten. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `FORBIDDEN` 403, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["startPasskeyRegistration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/passkey/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Removes a passkey of the caller. The last second factor is for another admin to reset.
         * @description Removes a passkey of the caller. The last second factor is for another admin to reset. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `FORBIDDEN` 403, `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["removePasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's passkeys.
         * @description The caller's passkeys. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listPasskeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/pay_password/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Removes a user's transaction password and its lock.
         * @description Removes a user's transaction password and its lock. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, support. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["resetPayPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/payment_batch/csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The payments of a released batch as CSV; audited.
         * @description The payments of a released batch as CSV; audited.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getPaymentTable"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/payment_batch/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Releases a proposed batch, by another person than the one who proposed it, or dissolves it.
         * @description Releases a proposed batch, by another person than the one who proposed it, or dissolves it. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["decidePaymentBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/payment_batch/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Payment batches, newest first.
         * @description Payment batches, newest first.
         *
         *     For: staff: admin, finance. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listPaymentBatches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/payment_batch/pain001": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The file of a released batch for the bank, as pain.001.001.09 of ISO 20022; audited.
         * @description The file of a released batch for the bank, as pain.001.001.09 of ISO 20022; audited.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getPaymentFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/payment_batch/pay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Records that the bank has paid a released batch: every withdrawal in it is posted as paid.
         * @description Records that the bank has paid a released batch: every withdrawal in it is posted as paid. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `WALLET_FROZEN` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["payPaymentBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/payment_batch/propose": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gathers pending withdrawals for one payment file; from then on they are decided by the batch alone.
         * @description Gathers pending withdrawals for one payment file; from then on they are decided by the batch alone. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `WALLET_FROZEN` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["proposePaymentBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/payment_batch/take_out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Takes a withdrawal that the bank did not pay out of its batch. Of a released one by two members of staff.
         * @description Takes a withdrawal that the bank did not pay out of its batch. Of a released one by two members of staff. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `APPROVAL_REQUIRED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["takeOutOfPaymentBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/placement/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a placement of a network. Nothing is placed on it before it has a price.
         * @description Creates a placement of a network. Nothing is placed on it before it has a price. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, operator. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["createPlacement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/placement/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes a placement, or pauses placing plans on it.
         * @description Changes a placement, or pauses placing plans on it. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, operator. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["editPlacement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/placement/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Placements with their prices, newest first.
         * @description Placements with their prices, newest first.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listPlacements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/placement/price": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sets what a placement costs and earns from a time on. Where four eyes are asked for, the price is proposed until another member of staff sets the same, and holds from then on at the earliest.
         * @description Sets what a placement costs and earns from a time on. Where four eyes are asked for, the price is proposed until another member of staff sets the same, and holds from then on at the earliest. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance, operator. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["setPlacementPrice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/plan/detail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A plan of any user.
         * @description A plan of any user. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["getAnyPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/plan/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends delivery of a plan.
         * @description Ends delivery of a plan. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, operator. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["finishPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/plan/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Plans of all users, newest first.
         * @description Plans of all users, newest first.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listAllPlans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/plan/pace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How a plan of any user keeps pace.
         * @description How a plan of any user keeps pace.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getAnyPlanPace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/plan/placements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where a plan of any user was shown, and why.
         * @description Where a plan of any user was shown, and why.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listAnyPlanPlacements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/plan/push": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pushes a plan to users, where it waits for their put.
         * @description Pushes a plan to users, where it waits for their put. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, operator. Reasons (code): `NOT_FOUND` 405, `AMOUNT_OUT_OF_RANGE` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["pushPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/plan/settle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Settles a plan that is waiting for settlement; before its time by two members of staff.
         * @description Settles a plan that is waiting for settlement; before its time by two members of staff. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, operator. Reasons (code): `NOT_FOUND` 405, `APPROVAL_REQUIRED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["settlePlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/platform/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The platform's accounts with their balances, as the last proof of the books found them.
         * @description The platform's accounts with their balances, as the last proof of the books found them. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listPlatformAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/platform/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What moved a platform account, newest first.
         * @description What moved a platform account, newest first.
         *
         *     For: staff: admin, finance. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listPlatformEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/product/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a product.
         * @description Creates a product. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, operator. Reasons (code): `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["createProduct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/product/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes a product.
         * @description Changes a product. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, operator. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["editProduct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/product/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Products, newest first.
         * @description Products, newest first.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listAllProducts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/second_factor/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Shows the second factor in the session, which is fresh for 15 minutes, and activates it the first time.
         * @description Shows the second factor in the session, which is fresh for 15 minutes, and activates it the first time. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `NOT_FOUND` 405, `SECOND_FACTOR_REQUIRED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["confirmSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/second_factor/enroll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes a second factor of the caller, which the first code activates. An active one is for another admin to reset.
         * @description Makes a second factor of the caller, which the first code activates. An active one is for another admin to reset. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `FORBIDDEN` 403, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["enrollSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/second_factor/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Removes the second factor of another member, who sets up another one; the member's sessions end.
         * @description Removes the second factor of another member, who sets up another one; the member's sessions end. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["resetSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/source/key/add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adds a key with which a source signs its files; from then on all of them must be signed.
         * @description Adds a key with which a source signs its files; from then on all of them must be signed. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["addReportSourceKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/source/key/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revokes a key of a source; proposed files that it signed can no longer be released.
         * @description Revokes a key of a source; proposed files that it signed can no longer be released. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["revokeReportSourceKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/source/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Registered sources with their keys, by name.
         * @description Registered sources with their keys, by name. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listReportSources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/source/save": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Registers who may report as a source, and how, or changes it.
         * @description Registers who may report as a source, and how, or changes it. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["saveReportSource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/staff/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirms that another person than its maker holds an account, which then decides about the maker's others.
         * @description Confirms that another person than its maker holds an account, which then decides about the maker's others. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["confirmStaff"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/staff/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a staff account.
         * @description Creates a staff account. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin. Reasons (code): `USERNAME_TAKEN` 4001, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["createStaff"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/staff/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Staff accounts, newest first.
         * @description Staff accounts, newest first.
         *
         *     For: staff: admin. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listStaff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/staff/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes one's own password, or gives another member a one-time password; the member's sessions end.
         * @description Changes one's own password, or gives another member a one-time password; the member's sessions end. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `FORBIDDEN` 403, `NOT_FOUND` 405, `WRONG_PASSWORD` 400, `PASSWORD_UNCHANGED` 400, `PASSWORD_CHANGE_REQUIRED` 403, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["changeStaffPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/staff/role": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes the role of another member; the member's sessions end.
         * @description Changes the role of another member; the member's sessions end. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["setStaffRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/staff/sessions/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends every session of a member: an admin for anybody, the others for themselves.
         * @description Ends every session of a member: an admin for anybody, the others for themselves. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `FORBIDDEN` 403, `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["endStaffSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/staff/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disables another member's account, or makes it active again; the member's sessions end.
         * @description Disables another member's account, or makes it active again; the member's sessions end. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["setStaffState"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events `changed {kinds}`: something of these kinds may have changed, at most one event a second. The first names every kind that the role may open. Without figures and ids. Ends with the session.
         * @description Events `changed {kinds}`: something of these kinds may have changed, at most one event a second. The first names every kind that the role may open. Without figures and ids. Ends with the session. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `TOO_MANY_ATTEMPTS` 429, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["openStaffStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/today": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What waits for a person, by kind, as far as the caller's role may open it. A service that does not answer makes its kinds unavailable and fails nothing else.
         * @description What waits for a person, by kind, as far as the caller's role may open it. A service that does not answer makes its kinds unavailable and fails nothing else. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getToday"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/coupons": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A user's coupons of one state, newest first.
         * @description A user's coupons of one state, newest first.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listUserCoupons"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/destinations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where a user's money may go, masked.
         * @description Where a user's money may go, masked.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getUserDestinations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/detail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A user with wallet and sessions. Contact data in full is for support and admins, and audited.
         * @description A user with wallet and sessions. Contact data in full is for support and admins, and audited. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["getUserDetail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/flow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fund details of a user, newest first.
         * @description Fund details of a user, newest first.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listUserFlow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/host_token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issues a token for a user of a native host shell whose account is not open yet.
         * @description Issues a token for a user of a native host shell whose account is not open yet. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, support. Reasons (code): `STORE_ALREADY_OPEN` 400, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `NOT_FOUND` 405, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["createHostToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Users, newest first. Contact data in full is for support and admins, and audited.
         * @description Users, newest first. Contact data in full is for support and admins, and audited.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `FORBIDDEN` 403, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/notices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A user's notifications, newest first, as the user's inbox has them. Audited.
         * @description A user's notifications, newest first, as the user's inbox has them. Audited.
         *
         *     For: staff: admin, support. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listUserNotices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes the given fields of a user's standing, for a reason.
         * @description Changes the given fields of a user's standing, for a reason. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, support. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["setUserProfile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/security_log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was done to a user's account, newest first, as the user sees it.
         * @description What was done to a user's account, newest first, as the user sees it.
         *
         *     For: staff: admin, support. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listUserSecurityLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/sessions/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends all sessions of a user, for a reason, and forgets the user's devices.
         * @description Ends all sessions of a user, for a reason, and forgets the user's devices. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, support. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["endUserSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes the state of an account.
         * @description Changes the state of an account. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, support. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["setUserState"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/user/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every transaction of a user in a month as CSV; each row has its hash and the previous hash.
         * @description Every transaction of a user in a month as CSV; each row has its hash and the previous hash.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getUserStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/wallet/chargeback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Takes a disputed payment back from the available funds.
         * @description Takes a disputed payment back from the available funds. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `INSUFFICIENT_BALANCE` 400, `APPROVAL_REQUIRED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["chargeBack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/wallet/deposit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Credits a deposit.
         * @description Credits a deposit. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `APPROVAL_REQUIRED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["creditDeposit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/wallet/freezes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Wallets that their owners have frozen, newest first.
         * @description Wallets that their owners have frozen, newest first.
         *
         *     For: staff: admin, support, finance, operator. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listFreezes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/wallet/guarantee": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Moves money of the user from the available funds to the guarantee, or back; a repeat answers the present figures.
         * @description Moves money of the user from the available funds to the guarantee, or back; a repeat answers the present figures. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `INSUFFICIENT_BALANCE` 400, `START_UP_FUNDS_NOT_RETURNED` 400, `APPROVAL_REQUIRED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["changeGuarantee"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/wallet/membership": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Charges the membership fee and makes the user a member.
         * @description Charges the membership fee and makes the user a member. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `INSUFFICIENT_BALANCE` 400, `APPROVAL_REQUIRED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["openMembership"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/wallet/recharge_deduction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Takes a virtual recharge back from the available funds.
         * @description Takes a virtual recharge back from the available funds. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `INSUFFICIENT_BALANCE` 400, `APPROVAL_REQUIRED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["deductRecharge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/wallet/reconcile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Checks that the ledger balances.
         * @description Checks that the ledger balances. A `reason` in the request is stored in the audit log.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["reconcile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/wallet/start_up_funds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Grants start-up funds, or marks them as returned.
         * @description Grants start-up funds, or marks them as returned. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `AMOUNT_OUT_OF_RANGE` 400, `INSUFFICIENT_BALANCE` 400, `APPROVAL_REQUIRED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["changeStartUpFunds"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/wallet/unfreeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Agrees, after speaking with the owner, to lift the freeze. It ends once the owner has agreed, too.
         * @description Agrees, after speaking with the owner, to lift the freeze. It ends once the owner has agreed, too. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["unfreezeWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/withdraw/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pays or rejects a pending withdrawal. Paying a large one needs the approval of another member of staff.
         * @description Pays or rejects a pending withdrawal. Paying a large one needs the approval of another member of staff. A `reason` in the request is stored in the audit log. An active second factor must have been shown within the last 15 minutes.
         *
         *     For: staff: admin, finance. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `APPROVAL_REQUIRED` 400, `WALLET_FROZEN` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["decideWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/withdraw/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Withdrawals of all users with their destinations, newest first.
         * @description Withdrawals of all users with their destinations, newest first.
         *
         *     For: staff: admin, finance. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `PASSWORD_CHANGE_REQUIRED` 403, `SECOND_FACTOR_REQUIRED` 400, `FORBIDDEN` 403, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listAllWithdrawals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assistance/follow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Follows a proxy operator instead of the current one.
         * @description Follows a proxy operator instead of the current one.
         *
         *     For: user. Reasons (code): `FOLLOW_ID_ERROR` 400, `FOLLOW_ID_CURRENT` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["follow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assistance/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The proxy operators that the caller has followed, newest first.
         * @description The proxy operators that the caller has followed, newest first.
         *
         *     For: user. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listFollows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Opens a session, in the older format.
         * @description Opens a session, in the older format.
         *
         *     For: public. Reasons (code): `BAD_CREDENTIALS` 400, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `VALIDATION` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["olderLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends the session.
         * @description Ends the session.
         *
         *     For: user in any state. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates an account, in the older format.
         * @description Creates an account, in the older format.
         *
         *     For: public. Reasons (code): `USERNAME_TAKEN` 4001, `PASSWORD_MISMATCH` 400, `LICENSE_NOT_FOUND` 400, `LICENSE_USED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["olderRegister"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v2/host": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Opens a session for an assertion that a registered host signed (JWT, EdDSA).
         * @description Opens a session for an assertion that a registered host signed (JWT, EdDSA).
         *
         *     For: public. Reasons (code): `ASSERTION_REJECTED` 400, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `VALIDATION` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["enterByHost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v2/lang": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The languages of the interface.
         * @description The languages of the interface.
         *
         *     For: public. Reasons (code): `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listLanguages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v2/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Opens a session.
         * @description Opens a session.
         *
         *     For: public. Reasons (code): `BAD_CREDENTIALS` 400, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `VALIDATION` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/v2/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates an account with an authorisation code.
         * @description Creates an account with an authorisation code.
         *
         *     For: public. Reasons (code): `USERNAME_TAKEN` 4001, `PASSWORD_MISMATCH` 400, `LICENSE_NOT_FOUND` 400, `LICENSE_USED` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bank_card/detail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The bound bank card and wallet address.
         * @description The bound bank card and wallet address.
         *
         *     For: user. Reasons (code): `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getDestinations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bank_card/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Binds a bank card or a wallet address, or replaces it.
         * @description Binds a bank card or a wallet address, or replaces it.
         *
         *     For: user. Reasons (code): `PAY_PASSWORD_LOCKED` 429, `WRONG_PAY_PASSWORD` 400, `NOTHING_CHANGED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["bindDestination"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/basic_config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The configuration that a client needs before login.
         * @description The configuration that a client needs before login.
         *
         *     For: public. Reasons (code): `VALIDATION` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getBasicConfig"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/check/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Checks a transaction password.
         * @description Checks a transaction password.
         *
         *     For: user. Reasons (code): `PAY_PASSWORD_NOT_SET` 400, `PAY_PASSWORD_LOCKED` 429, `WRONG_PAY_PASSWORD` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["checkPayPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The newest checkpoint of the hash chains: a signed note (C2SP checkpoint).
         * @description The newest checkpoint of the hash chains: a signed note (C2SP checkpoint).
         *
         *     For: public. Reasons (code): `NOT_FOUND` 405, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getCheckpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checkpoint/consistency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Proves that the log of one size begins with all of the log of an earlier size.
         * @description Proves that the log of one size begins with all of the log of an earlier size.
         *
         *     For: public. Reasons (code): `VALIDATION` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getCheckpointConsistency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checkpoint/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The key that checkpoints are signed with: NAME+KEY ID+BASE64.
         * @description The key that checkpoints are signed with: NAME+KEY ID+BASE64.
         *
         *     For: public. Reasons (code): `NOT_FOUND` 405, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getCheckpointKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/checkpoint/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Checkpoints, newest first.
         * @description Checkpoints, newest first.
         *
         *     For: public. Reasons (code): `VALIDATION` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listCheckpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submits feedback.
         * @description Submits feedback.
         *
         *     For: user. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["submitFeedback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/files/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Uploads a picture of at most 5 MB: PNG, JPEG, WebP or GIF, detected by content.
         * @description Uploads a picture of at most 5 MB: PNG, JPEG, WebP or GIF, detected by content.
         *
         *     For: user. Reasons (code): `FILE_TOO_LARGE` 400, `FILE_NOT_IMAGE` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["uploadFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/legal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A text that the law or the business asks for, if staff have written it.
         * @description A text that the law or the business asks for, if staff have written it.
         *
         *     For: public. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getLegalText"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/network/allotments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Allotments of the caller's network that have not ended, oldest first.
         * @description Allotments of the caller's network that have not ended, oldest first.
         *
         *     For: network. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listAllotments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/network/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reports delivery as JSON lines. Repeating a report changes nothing; a higher revision restates it.
         * @description Reports delivery as JSON lines. Repeating a report changes nothing; a higher revision restates it.
         *
         *     For: network. Reasons (code): `FILE_TOO_LARGE` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["reportNetworkDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/opening_store": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Opens the ad account with an authorisation code.
         * @description Opens the ad account with an authorisation code.
         *
         *     For: user in any state. Reasons (code): `LICENSE_NOT_FOUND` 400, `LICENSE_USED` 400, `STORE_ALREADY_OPEN` 400, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["openStore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plan/order/app/detail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A product with the caller's coupons for it.
         * @description A product with the caller's coupons for it.
         *
         *     For: user. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["getProduct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plan/order/await/put/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The number of pushed plans that are waiting for the caller's put.
         * @description The number of pushed plans that are waiting for the caller's put.
         *
         *     For: user. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["countWaitingPlans"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plan/order/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancels one of the caller's plans that is still matching: its money and coupon come back.
         * @description Cancels one of the caller's plans that is still matching: its money and coupon come back.
         *
         *     For: user. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["cancelPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plan/order/detail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A plan with its timeline, delivery and wallet entries.
         * @description A plan with its timeline, delivery and wallet entries.
         *
         *     For: user. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["getPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plan/order/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's plans, newest first.
         * @description The caller's plans, newest first.
         *
         *     For: user. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listPlans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plan/order/pace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How a plan keeps pace with what the algorithm plans.
         * @description How a plan keeps pace with what the algorithm plans.
         *
         *     For: user. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getPlanPace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plan/order/placements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where a plan was shown, and why.
         * @description Where a plan was shown, and why.
         *
         *     For: user. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listPlanPlacements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plan/order/put": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Puts money into a product or a pushed plan.
         * @description Puts money into a product or a pushed plan.
         *
         *     For: user. Reasons (code): `NOT_FOUND` 405, `INSUFFICIENT_BALANCE` 400, `AMOUNT_OUT_OF_RANGE` 400, `PLAN_NOT_PUTTABLE` 400, `COUPON_NOT_USABLE` 400, `COUPON_BELOW_REQUIREMENT` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["putPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plan/order/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The delivery reports of a plan, newest first, and the figures that they sum to.
         * @description The delivery reports of a plan, newest first, and the figures that they sum to.
         *
         *     For: user. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plan/product/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Products that can be put, newest first.
         * @description Products that can be put, newest first.
         *
         *     For: user. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listProducts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/push/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The key that a browser subscribes to push messages with.
         * @description The key that a browser subscribes to push messages with.
         *
         *     For: public. Reasons (code): `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getPushKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/push/subscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends push messages to this browser from now on, in the caller's language, until the session is ended. Repeating it renews that; a browser that is not renewed for 90 days is forgotten. A user has at most 10.
         * @description Sends push messages to this browser from now on, in the caller's language, until the session is ended. Repeating it renews that; a browser that is not renewed for 90 days is forgotten. A user has at most 10.
         *
         *     For: user. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["subscribeToPush"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/push/unsubscribe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends no more push messages to a browser of the caller's. Repeating it is fine.
         * @description Sends no more push messages to a browser of the caller's. Repeating it is fine.
         *
         *     For: user. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["unsubscribeFromPush"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/set/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sets the transaction password, or changes it with the current one.
         * @description Sets the transaction password, or changes it with the current one.
         *
         *     For: user. Reasons (code): `PASSWORD_MISMATCH` 400, `WEAK_PAY_PASSWORD` 400, `PAY_PASSWORD_NOT_SET` 400, `PAY_PASSWORD_LOCKED` 429, `WRONG_PAY_PASSWORD` 400, `PASSWORD_UNCHANGED` 400, `STEP_UP_REQUIRED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["setPayPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events `unread {at, total, sequence}`, `wallet {at, sequence}` and `plan {at, id, sequence}`. Of two about one thing, the one with the larger sequence is later; a total or id of null stands for what is not known. Ends with the session.
         * @description Events `unread {at, total, sequence}`, `wallet {at, sequence}` and `plan {at, id, sequence}`. Of two about one thing, the one with the larger sequence is later; a total or id of null stands for what is not known. Ends with the session.
         *
         *     For: user. Reasons (code): `TOO_MANY_ATTEMPTS` 429, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["openStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transaction_flow/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fund details, newest first.
         * @description Fund details, newest first.
         *
         *     For: user. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listFlow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transaction_flow/monthly": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Income and expense by month.
         * @description Income and expense by month.
         *
         *     For: user. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getMonthly"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transaction_flow/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Proves that a checkpoint has the hash chain of the caller at a transaction or shortly after it.
         * @description Proves that a checkpoint has the hash chain of the caller at a transaction or shortly after it.
         *
         *     For: user. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getHeadProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transaction_flow/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every transaction of a month as CSV; each row has its hash and the previous hash.
         * @description Every transaction of a month as CSV; each row has its hash and the previous hash.
         *
         *     For: user. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transaction_flow/statement/pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What moved the available funds in a month, with the balances before and after, as PDF in the caller's language and time zone.
         * @description What moved the available funds in a month, with the balances before and after, as PDF in the caller's language and time zone.
         *
         *     For: user. Reasons (code): `FILE_TOO_LARGE` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getStatementDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/update/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes the login password and ends every session of the caller.
         * @description Changes the login password and ends every session of the caller.
         *
         *     For: user. Reasons (code): `PASSWORD_MISMATCH` 400, `WRONG_PASSWORD` 400, `PASSWORD_UNCHANGED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/email/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mails a code to the caller's e-mail address, which confirms it. An older code is worthless then.
         * @description Mails a code to the caller's e-mail address, which confirms it. An older code is worthless then.
         *
         *     For: user. Reasons (code): `NOTHING_CHANGED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["sendEmailCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/email/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirms the caller's e-mail address with the code that was mailed to it. A confirmed address stays so.
         * @description Confirms the caller's e-mail address with the code that was mailed to it. A confirmed address stays so.
         *
         *     For: user. Reasons (code): `EMAIL_CODE_INVALID` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["confirmEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/freeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stops all withdrawals and exchanges of the caller's wallet, until the owner and staff agree to lift that. Repeating it takes back what either has agreed to.
         * @description Stops all withdrawals and exchanges of the caller's wallet, until the owner and staff agree to lift that. Repeating it takes back what either has agreed to.
         *
         *     For: user. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["freezeWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/freeze/mail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The same by the link of a mail, without a session: its reader says that the news was not their doing. It takes effect a moment after the answer.
         * @description The same by the link of a mail, without a session: its reader says that the news was not their doing. It takes effect a moment after the answer.
         *
         *     For: public. Reasons (code): `DISOWN_LINK_INVALID` 400, `VALIDATION` 400, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["freezeWalletByMail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's profile.
         * @description The caller's profile.
         *
         *     For: user. Reasons (code): `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/info/edit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes the given fields of the caller's profile.
         * @description Changes the given fields of the caller's profile.
         *
         *     For: user. Reasons (code): `NOTHING_CHANGED` 400, `NOT_FOUND` 405, `STEP_UP_REQUIRED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["editUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The caller's notifications, newest first.
         * @description The caller's notifications, newest first.
         *
         *     For: user. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["listNotifications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/notifications/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Marks one or all notifications as read.
         * @description Marks one or all notifications as read.
         *
         *     For: user. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["markNotificationsRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/notifications/unread_count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The number of unread notifications.
         * @description The number of unread notifications.
         *
         *     For: user. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["countUnread"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/property": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The balances of the wallet.
         * @description The balances of the wallet.
         *
         *     For: user. Reasons (code): `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["getProperty"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/security/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The security log: actions of staff on the caller's account, and security changes from the caller's own sessions, newest first.
         * @description The security log: actions of staff on the caller's account, and security changes from the caller's own sessions, newest first.
         *
         *     For: user. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listSecurityLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's active sessions, newest first.
         * @description The caller's active sessions, newest first.
         *
         *     For: user. Reasons (code): `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/sessions/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends one session of the caller, or all except the current one.
         * @description Ends one session of the caller, or all except the current one.
         *
         *     For: user. Reasons (code): `NOT_FOUND` 405, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["endSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/start_up_funds/return": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Returns start-up funds from the available funds.
         * @description Returns start-up funds from the available funds.
         *
         *     For: user. Reasons (code): `FORBIDDEN` 403, `AMOUNT_OUT_OF_RANGE` 400, `INSUFFICIENT_BALANCE` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["returnStartUpFunds"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/step_up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes the session fresh for 15 minutes, with the login password.
         * @description Makes the session fresh for 15 minutes, with the login password.
         *
         *     For: user. Reasons (code): `WRONG_PASSWORD` 400, `STEP_UP_REQUIRED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["stepUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/unfreeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The owner agrees to lift the freeze. It ends once a member of staff has agreed, too; then the cooling-off begins.
         * @description The owner agrees to lift the freeze. It ends once a member of staff has agreed, too; then the cooling-off begins.
         *
         *     For: user. Reasons (code): `STEP_UP_REQUIRED` 400, `NOTHING_CHANGED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["agreeToUnfreeze"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Requests a withdrawal. Its amount is held until the decision.
         * @description Requests a withdrawal. Its amount is held until the decision.
         *
         *     For: user. Reasons (code): `INSUFFICIENT_BALANCE` 400, `AMOUNT_OUT_OF_RANGE` 400, `PAY_PASSWORD_NOT_SET` 400, `PAY_PASSWORD_LOCKED` 429, `WRONG_PAY_PASSWORD` 400, `START_UP_FUNDS_NOT_RETURNED` 400, `BANK_CARD_NOT_BOUND` 400, `WITHDRAWAL_COOLING_OFF` 400, `DAY_LIMIT_REACHED` 400, `WALLET_FROZEN` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["withdraw"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/withdraw/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancels one of the caller's withdrawals that waits for a decision: its money is available again.
         * @description Cancels one of the caller's withdrawals that waits for a decision: its money is available again.
         *
         *     For: user. Reasons (code): `NOT_FOUND` 405, `NOTHING_CHANGED` 400, `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["cancelWithdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user/withdraw/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's withdrawals, newest first.
         * @description The caller's withdrawals, newest first.
         *
         *     For: user. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listWithdrawals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user_coupon/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The caller's coupons of one state.
         * @description The caller's coupons of one state.
         *
         *     For: user. Reasons (code): `VALIDATION` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500.
         */
        get: operations["listCoupons"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user_coupon/receive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claims a coupon.
         * @description Claims a coupon.
         *
         *     For: user. Reasons (code): `NOT_FOUND` 405, `COUPON_ALREADY_CLAIMED` 400, `COUPON_NAME_CLAIMED_TODAY` 400, `COUPON_NOT_USABLE` 400, `VALIDATION` 400, `IDEMPOTENCY_KEY_REUSED` 400, `NOT_AUTHENTICATED` 401, `SESSION_EXPIRED` 503, `ACCOUNT_NOT_ACTIVATED` 402, `ACCOUNT_DISABLED` 403, `ACCOUNT_CANCELLED` 404, `TOO_MANY_ATTEMPTS` 429, `INTERNAL` 500, `UNAVAILABLE` 500, `CHANGES_PAUSED` 500.
         */
        post: operations["receiveCoupon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An acceptance code. */
        AcceptanceCode: {
            /**
             * @description The code to give to the user.
             * @example DEMO-PERSONAL
             */
            code: string;
            /** @description The offer behind it. */
            offer: components["schemas"]["Offer"];
        };
        /** @description An acceptor. */
        Acceptor: {
            /**
             * Format: int64
             * @description Exchange orders completed.
             * @example 0
             */
            completed_orders: number;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e37
             */
            id: string;
            /** @description Person or enterprise. */
            kind: components["schemas"]["AcceptorKind"];
            /**
             * @description Display name.
             * @example Harbour Exchange Ltd
             */
            name: string;
            /**
             * @description Rating from `"0.0"` to `"5.0"`, with one decimal.
             * @example 4.8
             */
            rating: string;
        };
        /** @description The acceptor and offer of an acceptance code. */
        AcceptorDetail: {
            /** @description The acceptor. */
            acceptor: components["schemas"]["Acceptor"];
            current: components["schemas"]["ExchangeOrder"] | null;
            /** @description The offer. */
            offer: components["schemas"]["Offer"];
        };
        /** @description Names an acceptance code. */
        AcceptorDetailRequest: {
            /**
             * @description Acceptance code.
             * @example DEMO-PERSONAL
             */
            code: string;
            /** @description The chosen kind of acceptor. */
            kind: components["schemas"]["AcceptorKind"];
        };
        /**
         * @description Kind of an acceptor.
         * @enum {string}
         */
        AcceptorKind: "personal" | "enterprise";
        /** @description A page of a list. */
        AcceptorPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["Acceptor"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * @description Who performed an action.
         * @enum {string}
         */
        Actor: "staff" | "user";
        /** @description Adds a key to a host. */
        AddHostKeyRequest: {
            /**
             * @description The host.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e40
             */
            host_id: string;
            /**
             * @description Ed25519 public key in PEM.
             * @example -----BEGIN PUBLIC KEY-----
             *     MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
             *     -----END PUBLIC KEY-----
             */
            public_key: string;
        };
        /** @description Adds a key to a registered source. */
        AddReportSourceKeyRequest: {
            /**
             * @description Ed25519 public key in PEM.
             * @example -----BEGIN PUBLIC KEY-----
             *     MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
             *     -----END PUBLIC KEY-----
             */
            public_key: string;
            /**
             * @description The source.
             * @example network-a
             */
            source: string;
        };
        /**
         * @description How urgent an alert is.
         * @enum {string}
         */
        AlertSeverity: "page" | "ticket";
        /**
         * @description Whether there is something to ask for alerts, and whether it has answered.
         * @enum {string}
         */
        AlertsState: "known" | "unavailable" | "not_configured";
        /** @description What a network may show of a plan on one of its placements. */
        Allotment: {
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e43
             */
            allotment_id: string;
            /** @description What may be spent. */
            budget: components["schemas"]["FineMoney"];
            /** @description What the advertisement shows. */
            creative: components["schemas"]["Creative"];
            /** @description When it begins. */
            from: components["schemas"]["Timestamp"];
            /**
             * @description The placement's id, which reports name.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42
             */
            placement: string;
            /**
             * @description The placement's name, which reports may name instead.
             * @example Feed, top
             */
            placement_name: string;
            /**
             * @description The plan's number, which reports name.
             * @example AD2611200042
             */
            plan_number: string;
            /** @description What they cost and earn. */
            price: components["schemas"]["AllotmentPrice"];
            /** @description Until when it is to be reported. What is not reported by then goes back to the plan. */
            report_until: components["schemas"]["Timestamp"];
            /** @description When it ends. */
            to: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Impressions or clicks that the budget pays for.
             * @example 5000
             */
            units: number;
        };
        /**
         * Format: int32
         * @description Maximum number of allotments: 1 to 1000.
         * @example 1000
         */
        AllotmentLimit: number;
        /** @description What an allotment is priced at. */
        AllotmentPrice: {
            /** @description What a thousand impressions or a click cost. */
            cost: components["schemas"]["FineMoney"];
            /** @description What is paid for. */
            model: components["schemas"]["PriceModel"];
            /** @description What a thousand impressions or a click earn. */
            revenue: components["schemas"]["FineMoney"];
        };
        /** @description Allotments of a network. */
        Allotments: {
            /** @description Those that have not ended, oldest first. */
            items: components["schemas"]["Allotment"][];
            /**
             * @description What to send as `after` the next time; null before the first allotment.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e43
             */
            next: string | null;
        };
        /** @description A range of amounts. */
        AmountRange: {
            /** @description The maximum. */
            max: components["schemas"]["Money"];
            /** @description The minimum. */
            min: components["schemas"]["Money"];
        };
        /** @description A notification as staff made it. */
        Announcement: {
            /** @description Its category. */
            category: components["schemas"]["Category"];
            changed_at: components["schemas"]["Timestamp"] | null;
            /** @description The member of staff who last changed or withdrew it. */
            changed_by: string | null;
            /**
             * @description Text by language.
             * @example {
             *       "en": "The console is not available from 02:00 to 03:00 UTC."
             *     }
             */
            content: {
                [key: string]: string;
            };
            /**
             * @description Its id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e36
             */
            id: string;
            /**
             * @description The member of staff who made it; null if that was not kept.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39
             */
            made_by: string | null;
            publish_at: components["schemas"]["Timestamp"] | null;
            published_at: components["schemas"]["Timestamp"] | null;
            /**
             * Format: int64
             * @description How many it has reached: its recipients, or the users who were active when it was published, a million at most.
             *     Null before, and while they are not counted.
             * @example 1204
             */
            reached: number | null;
            /**
             * Format: int64
             * @description Number of recipients; 0 for all users.
             * @example 0
             */
            recipients: number;
            /** @description Its state. */
            state: components["schemas"]["AnnouncementState"];
            /** @description When it was made. */
            time: components["schemas"]["Timestamp"];
            /**
             * @description Title by language.
             * @example {
             *       "en": "Maintenance on Sunday"
             *     }
             */
            title: {
                [key: string]: string;
            };
            /** @description Its audience. */
            to: components["schemas"]["AnnouncementAudience"];
            /**
             * Format: int64
             * @description Counts its changes, beginning with 1.
             * @example 1
             */
            version: number;
            /** @description Why it was withdrawn. */
            withdrawal_reason: string | null;
        };
        /**
         * @description The audience of a notification.
         * @enum {string}
         */
        AnnouncementAudience: "all" | "users";
        /** @description A notification as staff made it, with its recipients. */
        AnnouncementDetail: components["schemas"]["Announcement"] & {
            /** @description Its recipients, at most 1,000; none if it is for all users. */
            users: components["schemas"]["UserName"][];
        };
        /** @description A page of a list. */
        AnnouncementPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["Announcement"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * @description State of what staff publish.
         * @enum {string}
         */
        AnnouncementState: "scheduled" | "published" | "withdrawn";
        /** @description A product with the coupons that can be used on it. */
        AppDetail: components["schemas"]["Product"] & {
            /** @description The caller's coupons that are usable for an amount within the product's range, the first to expire first. */
            coupons: components["schemas"]["Coupon"][];
        };
        /** @description Names a product. */
        AppDetailRequest: {
            /**
             * @description The product.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31
             */
            product_id: string;
        };
        /** @description A request by staff that another member of staff must approve. */
        Approval: {
            /** @description The requested action. */
            action: components["schemas"]["ApprovalAction"];
            /** @description Amount; for a withdrawal including its fee. */
            amount: components["schemas"]["Money"];
            decided_at: components["schemas"]["Timestamp"] | null;
            /** @description The member of staff who decided. */
            decided_by: string | null;
            /** @description Until when it can be decided. */
            expires_at: components["schemas"]["Timestamp"];
            /**
             * @description The reason why it could not be posted, for example `INSUFFICIENT_BALANCE`; null unless failed.
             * @example null
             */
            failure: string | null;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42
             */
            id: string;
            /** @description Reason for the decision; visible to staff only. */
            reason: string | null;
            /**
             * @description Remark shown to the user.
             * @example Bank transfer 2026-11-20
             */
            remark: string | null;
            /** @description Reason for the request; visible to staff only. */
            request_reason: string | null;
            /** @description When it was requested. */
            requested_at: components["schemas"]["Timestamp"];
            /**
             * @description The member of staff who made the request.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39
             */
            requested_by: string;
            /** @description Its state. */
            state: components["schemas"]["ApprovalState"];
            /** @description The transaction that it became; null unless approved. */
            transaction_id: string | null;
            /**
             * @description Owner of the wallet.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            user_id: string;
            /**
             * @description The withdrawal to pay; null for other actions.
             * @example null
             */
            withdrawal_id: string | null;
        };
        /**
         * @description The requested action.
         * @enum {string}
         */
        ApprovalAction: "deposit" | "chargeback" | "recharge_deduction" | "membership" | "start_up_grant" | "start_up_return" | "withdrawal_paid" | "guarantee_deposit" | "guarantee_return";
        /**
         * @description Decision of another member of staff.
         * @enum {string}
         */
        ApprovalDecision: "approved" | "rejected";
        /** @description A page of a list. */
        ApprovalPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["Approval"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * @description State of a request for approval.
         * @enum {string}
         */
        ApprovalState: "pending" | "approved" | "rejected" | "expired" | "failed";
        /** @description Audience of an advertisement. */
        Audience: {
            /**
             * Format: int32
             * @description Oldest age in years.
             * @example 55
             */
            age_max: number;
            /**
             * Format: int32
             * @description Youngest age in years.
             * @example 18
             */
            age_min: number;
            /** @description Target gender. */
            gender: components["schemas"]["Gender"];
            /**
             * @description Region names or codes; empty for everywhere.
             * @example [
             *       "DE",
             *       "AT"
             *     ]
             */
            regions: string[];
        };
        /** @description The audience of an announcement to all. */
        AudienceSize: {
            /** @description Whether there are more. */
            more: boolean;
            /**
             * Format: int64
             * @description How many users are active, a million at most.
             * @example 1204
             */
            users: number;
        };
        /** @description An entry of the audit log. */
        AuditEntry: {
            /**
             * @description What.
             * @example wallet.deposit
             */
            action: string;
            /** @description The object after the action; null if none. */
            after: Record<string, never> | null;
            /** @description The object before the action; null if none. */
            before: Record<string, never> | null;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e40
             */
            id: string;
            /** @description Why. */
            reason: string | null;
            /**
             * @description Id of the HTTP request (`X-Request-Id`).
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e41
             */
            request_id: string;
            /** @description Who. */
            staff: components["schemas"]["StaffName"];
            /**
             * @description The object of the action: an id or a code.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            target: string;
            /** @description When. */
            time: components["schemas"]["Timestamp"];
            /**
             * @description The user concerned; null if none.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            user_id: string | null;
        };
        /** @description A page of a list. */
        AuditEntryPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["AuditEntry"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description A bank card. */
        BankCard: {
            /**
             * @description Account number; masked to its last four characters except for finance staff.
             * @example ****3000
             */
            bank_account: string;
            /**
             * @description Name of the branch.
             * @example Hamburg Harbour
             */
            branch_name: string;
            /**
             * @description Name of the bank.
             * @example North Sea Bank
             */
            card_name: string;
            /**
             * @description Mobile number of the holder.
             * @example +4915112345678
             */
            mobile: string;
            /**
             * @description Name of the holder.
             * @example Ada Lovelace
             */
            user_name: string;
        };
        /** @description A fault of a file. */
        BankFileFault: {
            /**
             * @description The field that is wrong; null if it is the file.
             * @example amount
             */
            field: string | null;
            /**
             * Format: int32
             * @description Line of the file, from 1; 0 if it is about all of it.
             * @example 7
             */
            line: number;
            /** @description What is wrong with it. */
            problem: components["schemas"]["BankFileProblem"];
            /**
             * @description What stands there, shortened.
             * @example 1.005
             */
            value: string;
        };
        /**
         * @description What is wrong in a file.
         * @enum {string}
         */
        BankFileProblem: "form" | "encoding" | "missing" | "amount" | "currency" | "date" | "sum" | "account" | "too_many";
        /** @description What the bank says of a line, and what became of it. */
        BankLine: {
            /** @description Amount; negative if it was paid out. */
            amount: components["schemas"]["Money"];
            /** @description The request that waits for another member of staff. */
            approval_id: string | null;
            /** @description The bank's reference. */
            bank_reference: string | null;
            /**
             * @description Booking date.
             * @example 2026-11-28
             */
            booked_on: string;
            /** @description Who set it aside. */
            decided_by: string | null;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e62
             */
            id: string;
            /**
             * Format: int32
             * @description Line of the file.
             * @example 12
             */
            line: number;
            /**
             * @description Who paid, or was paid.
             * @example Ada Lovelace
             */
            party: string | null;
            /** @description Why it was set aside. */
            reason: string | null;
            /** @description Whether another statement has a line of that day and amount for the same user: maybe the same payment. */
            similar: boolean;
            /** @description Where it stands. */
            state: components["schemas"]["BankLineState"];
            /** @description The statement. */
            statement_id: string;
            /**
             * @description What the payer wrote.
             * @example RF18539007547034 top up
             */
            text: string | null;
            /** @description The transaction of the ledger. */
            transaction_id: string | null;
            /** @description The withdrawal that it pays, by the end-to-end id of a payment file. */
            withdrawal_id: string | null;
        };
        /**
         * @description Where a line of an account statement stands.
         * @enum {string}
         */
        BankLineState: "open" | "waiting" | "credited" | "aside" | "paid_out";
        /** @description An account statement that is kept. */
        BankStatement: {
            /**
             * Format: int32
             * @description Lines that are set aside.
             */
            aside_lines: number;
            /**
             * Format: int32
             * @description Lines that are credited.
             */
            credited_lines: number;
            /**
             * @description First booking date; null if an earlier file had brought all lines.
             * @example 2026-11-27
             */
            first_day: string | null;
            /** @description Its form. */
            format: components["schemas"]["BankStatementFormat"];
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e61
             */
            id: string;
            /**
             * Format: int32
             * @description Lines that an earlier file had brought; they are left out.
             */
            known_lines: number;
            /**
             * @description Last booking date.
             * @example 2026-11-28
             */
            last_day: string | null;
            /**
             * Format: int32
             * @description Lines that this file brought first.
             */
            lines: number;
            /**
             * @description Name of the file.
             * @example statement-2026-11-28.xml
             */
            name: string;
            /**
             * Format: int32
             * @description Lines paid in that nobody has decided about.
             */
            open_lines: number;
            /** @description Sum of what was paid in. */
            paid_in: components["schemas"]["Money"];
            /** @description The bank's own id of it. */
            reference: string | null;
            /** @description SHA-256 of the file, in hexadecimal. */
            sha256: string;
            /** @description When. */
            uploaded_at: components["schemas"]["Timestamp"];
            /** @description Who uploaded it. */
            uploaded_by: string;
            /**
             * Format: int32
             * @description Lines that wait for approval.
             */
            waiting_lines: number;
        };
        /** @description An account statement to read. */
        BankStatementForm: {
            /**
             * Format: binary
             * @description CAMT.053, or CSV with a header line, in UTF-8. At most 3 MB and 10,000 lines.
             */
            file: string;
            /**
             * @description For CSV: a JSON object from columns to fields (`date`, `amount`, `currency`, `text`, `party`, `bank_reference`,
             *     `end_to_end_id`, `balance`, `account`), for columns that do not have the field's own name.
             * @example {"Buchungstag":"date","Betrag":"amount"}
             */
            mapping?: string | null;
            /**
             * @description Reason for the audit log.
             * @example Statement of 28 November
             */
            reason?: string | null;
        };
        /**
         * @description Form of an account statement.
         * @enum {string}
         */
        BankStatementFormat: "camt053" | "csv";
        /** @description A page of a list. */
        BankStatementPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["BankStatement"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description What became of a file. */
        BankUpload: {
            /** @description Columns of a CSV file, in their order. */
            columns: string[];
            /** @description Faults, at most 100. */
            faults: components["schemas"]["BankFileFault"][];
            /** @description Whether the same file was kept before. */
            repeated: boolean;
            statement: components["schemas"]["BankStatement"] | null;
        };
        /** @description What a client needs before login. */
        BasicConfig: {
            /**
             * @description Rules of the new-user activity.
             * @example One coupon for every new account.
             */
            activity_rules: string;
            /** @description Mapping of browsers' languages. */
            client_language_map: components["schemas"]["LanguageMapping"][];
            /**
             * @description The platform's currency, ISO 4217.
             * @example USD
             */
            currency: string;
            /** @description Customer-service entries. */
            customer_service_url: components["schemas"]["ServiceEntry"][];
            /** @description Ways to deposit. */
            deposit_methods: components["schemas"]["DepositMethod"][];
            /** @description Limits of an exchange. */
            exchange_limit: components["schemas"]["AmountRange"];
            /** @description Questions and answers. */
            faq_config: components["schemas"]["Faq"][];
            /** @description The most that leaves a wallet within 24 hours, by withdrawal and exchange together. */
            leave_limits: components["schemas"]["LeaveLimits"];
            /** @description The texts that `GET /legal` answers. */
            legal: components["schemas"]["LegalName"][];
            marketing: components["schemas"]["Marketing"] | null;
            /**
             * @description Operating rules.
             * @example Plans are placed by an algorithm on your behalf.
             */
            operating_rules: string;
            /** @description Limits of a put over all products; both 0 if there is no product. */
            put_amount: components["schemas"]["AmountRange"];
            /** @description Customer-service entries for deposits. */
            recharge_customer_service_url: components["schemas"]["ServiceEntry"][];
            /**
             * Format: int32
             * @description Refresh interval of the ad centre's statistics, in seconds.
             * @example 30
             */
            stats_refresh_seconds: number;
            /**
             * @description Maximum size of an uploaded picture, in bytes.
             * @example 5242880
             */
            upload_max_bytes: number;
            /** @description Withdrawal methods. */
            withdraw_method_config: components["schemas"]["WithdrawalMethodConfig"][];
            /**
             * Format: int32
             * @description Hours that no money leaves by withdrawal or exchange after a change of login password, transaction password, bank
             *     card or wallet address; 0 if it does not wait.
             * @example 24
             */
            withdrawal_cooling_off_hours: number;
        };
        /**
         * @description Binds a bank card (`card_name`, `user_name`, `mobile`, `bank_account`, `branch_name`) or a wallet address
         *     (`network`, `address`).
         */
        BindRequest: {
            /** @description The wallet address. */
            address?: string | null;
            /**
             * @description Account number.
             * @example DE89370400440532013000
             */
            bank_account?: string | null;
            /**
             * @description Name of the branch.
             * @example Hamburg Harbour
             */
            branch_name?: string | null;
            /**
             * @description Name of the bank.
             * @example North Sea Bank
             */
            card_name?: string | null;
            /** @description Kind of destination. */
            kind: components["schemas"]["WithdrawalMethod"];
            /**
             * @description Mobile number of the holder.
             * @example +4915112345678
             */
            mobile?: string | null;
            /** @description Network of a wallet address. */
            network?: string | null;
            /**
             * @description MD5 of the transaction password, in hex; needed once one is set.
             * @example 5f4dcc3b5aa765d61d8327deb882cf99
             */
            password?: string | null;
            /**
             * @description Name of the holder.
             * @example Ada Lovelace
             */
            user_name?: string | null;
        };
        /** @description The state of the books. */
        Books: {
            /** @description Whether that proof found them in balance. */
            balanced: boolean | null;
            checkpoint_at: components["schemas"]["Timestamp"] | null;
            /**
             * Format: int64
             * @description Heads of chains in it.
             * @example 1204
             */
            checkpoint_size: number | null;
            proved_at: components["schemas"]["Timestamp"] | null;
            /** @description Whether wallet has answered. */
            state: components["schemas"]["PartState"];
        };
        /** @description Identifies one object. */
        ById: {
            /**
             * @description Its id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            id: string;
        };
        /** @description Identifies a plan. */
        ByPlanId: {
            /**
             * @description The plan.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32
             */
            plan_id: string;
        };
        /** @description A campaign as staff see it. */
        Campaign: {
            /** @description Minimum put amount. */
            amount_requirement: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description Number of claimed coupons.
             * @example 0
             */
            claimed: number;
            /**
             * @description The member of staff who created it.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39
             */
            created_by: string;
            decided_at: components["schemas"]["Timestamp"] | null;
            /** @description The second person who decided about it; null while it is proposed, and for one that takes one. */
            decided_by: string | null;
            ends_at: components["schemas"]["Timestamp"] | null;
            /**
             * Format: int64
             * @description Coupons that expired unused.
             * @example 0
             */
            expired: number;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e35
             */
            id: string;
            /** @description Who may claim. */
            kind: components["schemas"]["CampaignKind"];
            /** @description Effect of its coupons. */
            mode: components["schemas"]["CouponMode"];
            /**
             * @description Display name of its coupons.
             * @example Welcome 10%
             */
            name: string;
            /**
             * Format: int64
             * @description Coupons that are used; one that came back is not.
             * @example 0
             */
            redeemed: number;
            /** @description What they cost. */
            redeemed_amount: components["schemas"]["Money"];
            starts_at: components["schemas"]["Timestamp"] | null;
            /** @description Whether its coupons can be claimed or granted. */
            state: components["schemas"]["CampaignState"];
            /**
             * Format: int64
             * @description Total number of coupons; null for unlimited.
             */
            total: number | null;
            /** @description Displayed type. */
            type: components["schemas"]["CouponType"];
            /**
             * Format: int32
             * @description Days a coupon is valid after it is claimed.
             * @example 30
             */
            valid_days: number;
            /** @description Value of its coupons. */
            value: components["schemas"]["CouponValue"];
        };
        /**
         * @description Decision of a second person about a campaign.
         * @enum {string}
         */
        CampaignDecision: "released" | "rejected";
        /**
         * @description Who may claim from a campaign, and how a user got a coupon.
         * @enum {string}
         */
        CampaignKind: "new_user" | "periodic" | "staff";
        /** @description A page of a list. */
        CampaignPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["Campaign"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * @description State of a campaign.
         * @enum {string}
         */
        CampaignState: "proposed" | "released" | "rejected";
        /**
         * Format: int64
         * @description Number of coupons of a campaign: at least 1.
         * @example 1000
         */
        CampaignTotal: number;
        /**
         * @description Category of a notification.
         * @enum {string}
         */
        Category: "announcement" | "maintenance" | "activity";
        /**
         * @description Filter by category.
         * @enum {string}
         */
        CategoryFilter: "all" | "announcement" | "maintenance" | "activity";
        /** @description Changes the login password. */
        ChangePasswordRequest: {
            /**
             * @description The new password again; `confirmPassword` is accepted too.
             * @example an even longer staple
             */
            confirm_password: string;
            /**
             * @description The new password, 8 to 128 characters; no common one, and not made of the names.
             * @example an even longer staple
             */
            new_password: string;
            /**
             * @description The current password.
             * @example correct horse battery
             */
            old_password: string;
        };
        /** @description Checks a transaction password. */
        CheckPayPasswordRequest: {
            /**
             * @description MD5 of the 6 digits, in hex.
             * @example 5f4dcc3b5aa765d61d8327deb882cf99
             */
            password: string;
        };
        /** @description A signed state of the log that keeps the heads of all hash chains. */
        Checkpoint: {
            /**
             * @description The signed note (C2SP checkpoint).
             * @example adfolio/wallet
             *     1000
             *     Xfbg4nYTWdMKgnUFjimfzAOBU0VF9Vz0PkGYP11MlFY=
             *     time 2026-11-26T09:30:00Z
             *
             *     — adfolio/wallet AAAA
             */
            note: string;
            /**
             * @description Root of the Merkle tree over them: SHA-256 in lower-case hex.
             * @example 5df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456
             */
            root: string;
            /**
             * Format: int64
             * @description Heads of chains in the log.
             * @example 1000
             */
            size: number;
            /** @description When it was signed. */
            time: components["schemas"]["Timestamp"];
        };
        /** @description A page of a list. */
        CheckpointPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["Checkpoint"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description Who works on an item. It warns and blocks nobody. */
        Claim: {
            /** @description Since when. */
            claimed_at: components["schemas"]["Timestamp"];
            /** @description When it runs out unless its holder renews it. */
            expires_at: components["schemas"]["Timestamp"];
            /**
             * @description Its id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e44
             */
            id: string;
            /** @description What the item is. */
            kind: components["schemas"]["ClaimKind"];
            /** @description Whether the caller holds it. */
            own: boolean;
            /** @description Who holds it. */
            staff: components["schemas"]["StaffName"];
        };
        /**
         * @description What an item is.
         * @enum {string}
         */
        ClaimKind: "withdrawal" | "approval" | "exchange_order" | "feedback" | "import" | "bank_line" | "plan" | "user" | "content";
        /** @description A page of a list. */
        ClaimPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["Claim"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description Claims or releases an item. */
        ClaimRequest: {
            /**
             * @description Its id, 1 to 100 characters. It is not looked up.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e44
             */
            id: string;
            /** @description What the item is. */
            kind: components["schemas"]["ClaimKind"];
        };
        /** @description A campaign as a user sees it. */
        Claimable: {
            /** @description Minimum put amount they can be used with; 0.00 for none. */
            amount_requirement: components["schemas"]["Money"];
            /**
             * @description The campaign.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e35
             */
            campaign_id: string;
            /** @description Whether the caller has claimed it; for periodic campaigns, today in the time zone of the caller's first claim. */
            claimed: boolean;
            ends_at: components["schemas"]["Timestamp"] | null;
            /** @description New-user or periodic. */
            kind: components["schemas"]["CampaignKind"];
            /** @description Effect of its coupons. */
            mode: components["schemas"]["CouponMode"];
            /**
             * @description Display name.
             * @example Welcome 10%
             */
            name: string;
            /** @description Displayed type of its coupons. */
            type: components["schemas"]["CouponType"];
            /**
             * Format: int32
             * @description Days that a coupon is valid after it is claimed.
             */
            valid_days: number;
            /** @description Value of its coupons. */
            value: components["schemas"]["CouponValue"];
        };
        /** @description Closes feedback. */
        CloseFeedbackRequest: {
            /**
             * @description The feedback.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3f
             */
            id: string;
            /**
             * @description Sent to the user as a notification, at most 2000 characters; no notification if absent.
             * @example The network restated its report; the clicks are there now.
             */
            reply?: string | null;
        };
        /** @description A member of staff asked for the completion of an order that takes two. */
        CompletionRequest: {
            /** @description The reason they gave; visible to staff only. */
            reason: string | null;
            /** @description When they asked. */
            requested_at: components["schemas"]["Timestamp"];
            /**
             * @description The member of staff.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39
             */
            requested_by: string;
        };
        /** @description Confirms the caller's e-mail address. */
        ConfirmEmailRequest: {
            /**
             * @description The code of the mail: eight digits, blanks and hyphens aside.
             * @example 20671943
             */
            code: string;
        };
        /** @description Shows the second factor in the session. */
        ConfirmSecondFactorRequest: {
            /**
             * @description A code of the app; once the second factor is active also a recovery code.
             * @example 287082
             */
            code: string;
        };
        /** @description Confirms that another person than its maker holds a staff account. */
        ConfirmStaffRequest: {
            /**
             * @description Why; stored in the audit log.
             * @example met her in the office
             */
            reason: string;
            /**
             * @description The member. Neither its maker nor an account of the same person confirms it.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39
             */
            staff_id: string;
        };
        /** @description Shows a passkey in the session. */
        ConfirmWithPasskeyRequest: {
            /**
             * @description Of the answer that began it.
             * @example q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ
             */
            ceremony: string;
            /**
             * @description What the browser answered: AuthenticationResponseJSON of WebAuthn.
             * @example {
             *       "id": "3q2-7w",
             *       "rawId": "3q2-7w",
             *       "response": {},
             *       "type": "public-key"
             *     }
             */
            credential: {
                [key: string]: unknown;
            };
        };
        /** @description That the log of the later size begins with all of the log of the earlier one. */
        Consistency: {
            /** @description Hashes in lower-case hex, in the order of RFC 6962. */
            path: string[];
        };
        /** @description The texts that staff edit. */
        Content: {
            /**
             * @description Rules of the new-user activity by language.
             * @example {
             *       "en": "Coupons are distributed periodically."
             *     }
             */
            activity_rules: {
                [key: string]: string;
            };
            /** @description For questions of every kind. */
            customer_service: components["schemas"]["ServiceEntryContent"][];
            /** @description Ways to deposit. */
            deposit_methods: components["schemas"]["DepositMethodContent"][];
            /** @description Questions and answers. */
            faq: components["schemas"]["FaqContent"][];
            /**
             * @description Fees, by language; empty shows none.
             * @example {
             *       "en": "A withdrawal costs 1.50."
             *     }
             */
            fees: {
                [key: string]: string;
            };
            /**
             * @description Who runs the service, by language; empty shows none.
             * @example {
             *       "en": "Adfolio Ltd, 1 Example Street"
             *     }
             */
            imprint: {
                [key: string]: string;
            };
            marketing: components["schemas"]["MarketingContent"] | null;
            /**
             * @description Operating rules by language.
             * @example {
             *       "en": "Plans run until their budget is consumed."
             *     }
             */
            operating_rules: {
                [key: string]: string;
            };
            /**
             * @description Privacy policy, by language; empty shows none.
             * @example {
             *       "en": "We keep what the law asks for."
             *     }
             */
            privacy: {
                [key: string]: string;
            };
            /** @description For deposits. */
            recharge_customer_service: components["schemas"]["ServiceEntryContent"][];
            /**
             * @description Terms of service, by language; empty shows none.
             * @example {
             *       "en": "These terms apply to every account."
             *     }
             */
            terms: {
                [key: string]: string;
            };
            /**
             * Format: int64
             * @description Counts the changes. Sent back with new texts, it says which ones they replace.
             * @example 7
             */
            version: number;
        };
        /** @description New texts. Absent parts stay as they are. */
        ContentRequest: {
            /**
             * @description Rules of the new-user activity by language; `en` is required.
             * @example {
             *       "en": "Coupons are distributed periodically."
             *     }
             */
            activity_rules?: {
                [key: string]: string;
            } | null;
            /** @description For questions of every kind. */
            customer_service?: components["schemas"]["ServiceEntryContentInput"][] | null;
            /** @description Ways to deposit, at most 20. */
            deposit_methods?: components["schemas"]["DepositMethodContentInput"][] | null;
            /** @description Questions and answers, at most 50. */
            faq?: components["schemas"]["FaqContentInput"][] | null;
            /**
             * @description Fees, likewise.
             * @example {
             *       "en": "A withdrawal costs 1.50."
             *     }
             */
            fees?: {
                [key: string]: string;
            } | null;
            /**
             * @description Who runs the service, by language; empty shows none, otherwise `en` is required.
             * @example {
             *       "en": "Adfolio Ltd, 1 Example Street"
             *     }
             */
            imprint?: {
                [key: string]: string;
            } | null;
            marketing?: components["schemas"]["MarketingContentInput"] | null;
            /**
             * @description Operating rules by language; `en` is required.
             * @example {
             *       "en": "Plans run until their budget is consumed."
             *     }
             */
            operating_rules?: {
                [key: string]: string;
            } | null;
            /**
             * @description Privacy policy, likewise.
             * @example {
             *       "en": "We keep what the law asks for."
             *     }
             */
            privacy?: {
                [key: string]: string;
            } | null;
            /** @description For deposits. */
            recharge_customer_service?: components["schemas"]["ServiceEntryContentInput"][] | null;
            /**
             * @description Terms of service, likewise.
             * @example {
             *       "en": "These terms apply to every account."
             *     }
             */
            terms?: {
                [key: string]: string;
            } | null;
            /**
             * Format: int64
             * @description The version that the texts are based on: a part that was changed after it is refused. Whatever stands is replaced if
             *     absent.
             * @example 7
             */
            version?: number | null;
        };
        /**
         * @description Advertising content of a product.
         * @enum {string}
         */
        ContentType: "video" | "landing_page";
        /** @description A change of the texts that staff edit. */
        ContentVersion: {
            /**
             * @description The member of staff who made it; null for the first.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39
             */
            made_by: string | null;
            /**
             * @description The parts that it changed.
             * @example [
             *       "faq",
             *       "marketing_headline"
             *     ]
             */
            parts: string[];
            /**
             * @description Why; null without a reason.
             * @example New fees from December
             */
            reason: string | null;
            /**
             * Format: int64
             * @description The version that it restored.
             */
            restored: number | null;
            /** @description When. */
            time: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Its number; the first is what stood when versions began to be kept.
             * @example 7
             */
            version: number;
        };
        /** @description A version, with all texts as it left them. */
        ContentVersionDetail: {
            /** @description What changed, and who changed it. */
            change: components["schemas"]["ContentVersion"];
            /** @description All texts as it left them. */
            content: components["schemas"]["Content"];
        };
        /** @description A page of a list. */
        ContentVersionPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["ContentVersion"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description A count. */
        Count: {
            /**
             * Format: int64
             * @description The count.
             * @example 2
             */
            count: number;
        };
        /** @description A user's coupon. */
        Coupon: {
            /** @description Minimum put amount it can be used with. */
            amount_requirement: components["schemas"]["Money"];
            /** @description When it expires. */
            expires_at: components["schemas"]["Timestamp"];
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e33
             */
            id: string;
            /** @description Its effect. */
            mode: components["schemas"]["CouponMode"];
            /**
             * @description Display name.
             * @example Welcome 10%
             */
            name: string;
            /** @description The plan it was used for. */
            plan_id: string | null;
            /** @description How the user got it. */
            source: components["schemas"]["CampaignKind"];
            /** @description Its state. */
            state: components["schemas"]["CouponState"];
            /** @description Displayed type. */
            type: components["schemas"]["CouponType"];
            used_at: components["schemas"]["Timestamp"] | null;
            /** @description Its value. */
            value: components["schemas"]["CouponValue"];
        };
        /** @description Number of coupons by state. */
        CouponCounts: {
            /**
             * Format: int64
             * @description Expired.
             */
            expired: number;
            /**
             * Format: int64
             * @description Unused.
             */
            unused: number;
            /**
             * Format: int64
             * @description Used.
             */
            used: number;
        };
        /**
         * @description The effect of a coupon on a put.
         * @enum {string}
         */
        CouponMode: "discount" | "deduction" | "addition";
        /** @description A page of coupons. */
        CouponPage: {
            /** @description Campaigns that the caller can claim from, or has claimed from. */
            claimable: components["schemas"]["Claimable"][];
            /** @description Counts by state. */
            counts: components["schemas"]["CouponCounts"];
            /** @description The coupons, newest first. */
            items: components["schemas"]["Coupon"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * @description State of a coupon.
         * @enum {string}
         */
        CouponState: "unused" | "used" | "expired";
        /**
         * @description Displayed type of a coupon.
         * @enum {string}
         */
        CouponType: "increment" | "deduction" | "team" | "custom" | "fixed_amount";
        /**
         * @description Value of a coupon: a percentage (`"10%"`, `"12.5%"`) if its mode is discount, else money (`"50.00"`).
         * @example 10%
         */
        CouponValue: string;
        /** @description Issues an acceptance code. */
        CreateAcceptanceCodeRequest: {
            /**
             * @description The acceptor of the offer.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e37
             */
            acceptor_id: string;
            /**
             * @description The other currency, ISO 4217.
             * @example EUR
             */
            currency: string;
            /** @description The direction. */
            direction: components["schemas"]["ExchangeDirection"];
            /** @description When the offer ends. */
            expires_at: components["schemas"]["TimestampInput"];
            /** @description Maximum wallet amount. */
            max: components["schemas"]["MoneyInput"];
            /** @description Minimum wallet amount. */
            min: components["schemas"]["MoneyInput"];
            /** @description Units of the other currency for one unit of wallet money, up to 8 decimals. */
            rate: components["schemas"]["DecimalInput"];
            /** @description The only user who may use it; anyone if absent. */
            user_id?: string | null;
        };
        /** @description Creates an acceptor. */
        CreateAcceptorRequest: {
            /** @description Person or enterprise. */
            kind: components["schemas"]["AcceptorKind"];
            /**
             * @description Display name, 1 to 100 characters.
             * @example Harbour Exchange Ltd
             */
            name: string;
            rating?: components["schemas"]["DecimalInput"] | null;
        };
        /** @description Creates a campaign. */
        CreateCampaignRequest: {
            /** @description Minimum put amount. */
            amount_requirement: components["schemas"]["MoneyInput"];
            ends_at?: components["schemas"]["TimestampInput"] | null;
            /** @description Who may claim. */
            kind: components["schemas"]["CampaignKind"];
            /** @description Effect of its coupons. */
            mode: components["schemas"]["CouponMode"];
            /**
             * @description Display name of its coupons.
             * @example Welcome 10%
             */
            name: string;
            starts_at?: components["schemas"]["TimestampInput"] | null;
            total?: components["schemas"]["CampaignTotal"] | null;
            /** @description Displayed type. */
            type: components["schemas"]["CouponType"];
            /**
             * Format: int32
             * @description Days a coupon is valid after it is claimed.
             * @example 30
             */
            valid_days: number;
            /**
             * @description A percentage (`"10%"`, up to two decimals) when the mode is discount, else money.
             * @example 10%
             */
            value: string | number;
        };
        /** @description Opens an exchange order behind an acceptance code. */
        CreateExchangeRequest: {
            /** @description Wallet amount, within the limits of the offer and the platform. */
            amount: components["schemas"]["MoneyInput"];
            /**
             * @description Acceptance code.
             * @example DEMO-PERSONAL
             */
            code: string;
            /** @description The chosen kind of acceptor. */
            kind: components["schemas"]["AcceptorKind"];
            /**
             * @description MD5 of the transaction password, in hex.
             * @example 5f4dcc3b5aa765d61d8327deb882cf99
             */
            password: string;
        };
        /** @description Registers a host. */
        CreateHostRequest: {
            /**
             * @description Unique name, 1 to 100 characters.
             * @example Partner app
             */
            name: string;
            /**
             * @description Ed25519 public key in PEM.
             * @example -----BEGIN PUBLIC KEY-----
             *     MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
             *     -----END PUBLIC KEY-----
             */
            public_key: string;
        };
        /** @description Issues licence keys. */
        CreateLicenseRequest: {
            /**
             * @description Whether accounts opened with them are active immediately; true if absent.
             * @example true
             */
            activate?: boolean | null;
            /**
             * Format: int32
             * @description Number of keys, 1 to 500.
             * @example 10
             */
            count: number;
            /**
             * @description Staff's note.
             * @example Trade fair
             */
            note?: string | null;
        };
        /** @description Registers a network. */
        CreateNetworkRequest: {
            /**
             * @description Display name.
             * @example Network A
             */
            name: string;
            /**
             * Format: int32
             * @description Seconds after the end of an allotment until which it reports: 0 to 86400. Absent: 300.
             * @example 300
             */
            report_delay_seconds?: number | null;
            /** @description Whether its delivery is simulated. */
            simulated?: boolean | null;
            /**
             * @description The source that its reports name: 1 to 64 characters from a-z, 0-9, '-' and '_'. It never changes.
             * @example network-a
             */
            source: string;
        };
        /** @description Publishes a notification. */
        CreateNotificationRequest: {
            /** @description Its category. */
            category: components["schemas"]["Category"];
            /**
             * @description Text by language, at most 5000 characters each; `en` is required.
             * @example {
             *       "en": "The console is not available from 02:00 to 03:00 UTC."
             *     }
             */
            content: {
                [key: string]: string;
            };
            publish_at?: components["schemas"]["TimestampInput"] | null;
            /**
             * @description Title by language, at most 200 characters each; `en` is required.
             * @example {
             *       "en": "Maintenance on Sunday"
             *     }
             */
            title: {
                [key: string]: string;
            };
            /** @description Recipients: `"all"` or user ids. */
            to: components["schemas"]["Recipients"];
        };
        /** @description Creates a proxy operator. */
        CreateOperatorRequest: {
            /**
             * @description Display name, 1 to 100 characters.
             * @example North Sea Media
             */
            name: string;
        };
        /** @description Creates a placement. */
        CreatePlacementRequest: {
            /**
             * @description ISO 3166-1 alpha-2 codes. Absent or empty: everywhere.
             * @example [
             *       "AT",
             *       "DE"
             *     ]
             */
            countries?: string[] | null;
            /**
             * @description Form: 1 to 32 characters from a-z, 0-9, '-' and '_'.
             * @example native
             */
            format: string;
            /**
             * @description Display name, unique within the network.
             * @example Feed, top
             */
            name: string;
            /**
             * @description Its network.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e41
             */
            network_id: string;
            /**
             * @description Operating systems. Absent or empty: all.
             * @example [
             *       "android",
             *       "ios"
             *     ]
             */
            systems?: string[] | null;
        };
        /** @description Creates a product. */
        CreateProductRequest: {
            /** @description Audience of its advertisements. */
            audience: components["schemas"]["Audience"];
            /**
             * @description Displayed category.
             * @example Games
             */
            category: string;
            /** @description Advertising content it supports. */
            content_types: components["schemas"]["ContentType"][];
            /** @description Wide picture. */
            cover_url?: string | null;
            creative?: components["schemas"]["Creative"] | null;
            /**
             * @description Description.
             * @example A calm puzzle game by the sea.
             */
            description: string;
            /**
             * @description Game description; may be empty.
             * @example Match tiles, repair the harbour.
             */
            game_description: string;
            goal?: components["schemas"]["PlacementGoal"] | null;
            /**
             * @description Square icon.
             * @example /media/puzzle-harbour.png
             */
            icon_url?: string | null;
            /**
             * @description Display name.
             * @example Puzzle Harbour
             */
            name: string;
            /** @description Placements that its plans may use; empty for all. Absent: unchanged, or all. */
            placements?: string[] | null;
            /** @description Maximum put amount. */
            put_max: components["schemas"]["MoneyInput"];
            /** @description Minimum put amount. */
            put_min: components["schemas"]["MoneyInput"];
            /**
             * Format: int32
             * @description Highest revenue of a plan that needs no second look, in percent of its spend: 0 to 10000. Absent: unchanged, or
             *     1000.
             * @example 1000
             */
            return_max_percent?: number | null;
            revenue_per_thousand_max?: components["schemas"]["MoneyInput"] | null;
        };
        /** @description Creates a member of staff. */
        CreateStaffRequest: {
            /**
             * @description Password, 8 to 128 characters; no common one, and not made of the names.
             * @example a long enough password
             */
            password: string;
            /** @description Role of the member. */
            role: components["schemas"]["StaffRole"];
            /**
             * @description Login name.
             * @example olivia
             */
            username: string;
        };
        /** @description The id of a new object. */
        Created: {
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3f
             */
            id: string;
        };
        /** @description What a product's advertisement shows. */
        Creative: {
            /**
             * @description Address that a click leads to; may be empty.
             * @example https://example.com/puzzle-harbour
             */
            destination: string;
            /**
             * @description Address of the picture; empty for the product's.
             * @example /media/puzzle-harbour-cover.png
             */
            picture: string;
            /**
             * @description Headline; empty for the product's name.
             * @example Repair the harbour
             */
            title: string;
        };
        /** @description Credits a line. */
        CreditBankLineRequest: {
            /**
             * @description The line.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e62
             */
            id: string;
            /** @description The user; the matched one if absent. A matched line is credited to no other. */
            user_id?: string | null;
        };
        /**
         * Format: date
         * @description A day, `YYYY-MM-DD`.
         * @example 2026-11-20
         */
        Day: string;
        /** @description Decides a request. */
        DecideApprovalRequest: {
            /** @description The decision. */
            decision: components["schemas"]["ApprovalDecision"];
            /**
             * @description The request.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42
             */
            id: string;
            /**
             * @description Reason, 1 to 500 characters; visible to staff only.
             * @example Seen on the bank statement
             */
            reason: string;
        };
        /** @description Decides a proposed campaign. */
        DecideCampaignRequest: {
            /** @description The decision. */
            decision: components["schemas"]["CampaignDecision"];
            /**
             * @description The campaign.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e35
             */
            id: string;
            /**
             * @description Reason, 1 to 500 characters; visible to staff only.
             * @example Within the budget of the quarter
             */
            reason: string;
        };
        /** @description Decides an exchange order. */
        DecideExchangeRequest: {
            /** @description The decision. */
            decision: components["schemas"]["ExchangeDecision"];
            /**
             * @description The order.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3d
             */
            id: string;
            /**
             * @description Reason, at most 500 characters; shown to the user if the order is cancelled.
             * @example The acceptor confirmed the transfer
             */
            reason?: string | null;
        };
        /** @description Decides an import. */
        DecideImportRequest: {
            /** @description The decision. */
            decision: components["schemas"]["ImportDecision"];
            /**
             * @description The import.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e50
             */
            import_id: string;
            /**
             * @description Why; a release above a limit of a product names it.
             * @example Matches the network's invoice of November
             */
            reason: string;
        };
        /** @description Decides about a batch. */
        DecidePaymentBatchRequest: {
            /** @description The decision. */
            decision: components["schemas"]["PaymentBatchDecision"];
            /**
             * @description The batch.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e63
             */
            id: string;
            /** @description Why, at most 500 characters. */
            reason?: string | null;
        };
        /** @description Decides reports that the gate holds back: all of them, or none. */
        DecideQuarantineRequest: {
            /** @description The decision. */
            decision: components["schemas"]["ImportDecision"];
            /**
             * @description The reports.
             * @example [
             *       "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e51"
             *     ]
             */
            ids: string[];
            /**
             * @description Why.
             * @example The network confirmed the clicks, case 4711
             */
            reason: string;
        };
        /** @description Decides a withdrawal. */
        DecideWithdrawalRequest: {
            /** @description The decision. */
            decision: components["schemas"]["WithdrawalDecision"];
            /**
             * @description The withdrawal.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3e
             */
            id: string;
            /**
             * @description Reason, at most 500 characters; required for a rejection and then shown to the user.
             * @example Transferred on 2026-11-21
             */
            reason?: string | null;
        };
        /** @description The reports as they are after a decision. */
        DecidedReports: {
            /** @description In the order of the request. */
            items: components["schemas"]["QuarantinedReport"][];
        };
        /**
         * @description Decimal as text or number; no sign, exponent or blanks.
         * @example 7.2485
         */
        DecimalInput: string | number;
        /** @description An import of delivery reports. */
        DeliveryImport: {
            /**
             * Format: int64
             * @description Rows that were new.
             */
            applied: number;
            /** @description When. */
            at: components["schemas"]["Timestamp"];
            /**
             * @description Who proposed it; null for a network.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39
             */
            by: string | null;
            decided_at: components["schemas"]["Timestamp"] | null;
            /** @description Who decided; null before that, and for what needed nobody. */
            decided_by: string | null;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e50
             */
            import_id: string;
            /** @description What stands out. */
            notable: components["schemas"]["NotableRow"][];
            /**
             * Format: int64
             * @description Rows read.
             */
            read: number;
            /** @description Why. */
            reason: string;
            /** @description Rows that could not be taken any more; at most 200 are listed. */
            rejected: components["schemas"]["RejectedRow"][];
            /**
             * Format: int64
             * @description Number of those.
             */
            rejected_count: number;
            /**
             * Format: int64
             * @description Rows that were known when they were taken.
             */
            repeated: number;
            /**
             * Format: int64
             * @description Rows that restated an earlier revision.
             */
            restated: number;
            /**
             * @description SHA-256 of the file in hexadecimal; null for what a network sent.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            sha256: string | null;
            /**
             * @description The source's key that signed the file; null if none did.
             * @example kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
             */
            signed_by: string | null;
            /**
             * @description Who reports.
             * @example network-a
             */
            source: string;
            /** @description Its state. */
            state: components["schemas"]["ImportState"];
            /** @description What it adds up to. */
            totals: components["schemas"]["ImportTotals"];
            /** @description Whether its rows are still being taken. */
            under_way: boolean;
        };
        /** @description Delivery reports to import. */
        DeliveryImportForm: {
            /** @description `true` only to learn what the file would bring. */
            dry_run?: boolean | null;
            /**
             * Format: binary
             * @description CSV with a header line, or JSONL with one object per line. At most 64 MB, form included.
             */
            file: string;
            /**
             * @description Mapping of columns: a JSON object from columns to fields.
             * @example {"id":"report_id","plan":"plan_number","at":"time","views":"impressions"}
             */
            mapping: string;
            /**
             * @description Reason for the audit log. Like the other parts, it counts only if it precedes the file.
             * @example Daily report
             */
            reason?: string | null;
            /** @description The source's Ed25519 signature in base64; a source with a valid key signs every file. */
            signature?: string | null;
            /**
             * @description Name of the reporting source: 1 to 64 characters from a-z, 0-9, '-' and '_'.
             * @example network-a
             */
            source: string;
        };
        /** @description A page of a list. */
        DeliveryImportPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["DeliveryImport"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description A delivery report, at its latest revision. */
        DeliveryReport: {
            /** @description What of that is charged: all of it until the budget is spent. */
            charged: components["schemas"]["FineMoney"];
            /**
             * Format: int64
             * @description Clicks.
             */
            clicks: number;
            /** @description Whether cost or revenue come from an import's pricing. */
            estimated: boolean;
            import: components["schemas"]["ImportedFile"] | null;
            /**
             * Format: int64
             * @description Impressions.
             */
            impressions: number;
            placement: components["schemas"]["ReportPlacement"] | null;
            /**
             * @description Identifies it within its source.
             * @example 2026-11-20-0001
             */
            report_id: string;
            /** @description What it earned. */
            revenue: components["schemas"]["FineMoney"];
            /**
             * Format: int64
             * @description Which restatement it is, from 1.
             * @example 1
             */
            revision: number;
            /** @description Whether the simulator made it. */
            simulated: boolean;
            /**
             * @description Who reported it.
             * @example adnet
             */
            source: string;
            /** @description What it cost. */
            spend: components["schemas"]["FineMoney"];
            /** @description When it was delivered. */
            time: components["schemas"]["Timestamp"];
        };
        /** @description A way to deposit. */
        DepositMethod: {
            /**
             * @description When the money is there.
             * @example Within one working day
             */
            arrival: string;
            /**
             * @description What it costs.
             * @example No fee
             */
            fee: string;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e5a
             */
            id: string;
            max: components["schemas"]["Money"] | null;
            min: components["schemas"]["Money"] | null;
            /**
             * @description Its name.
             * @example Bank transfer
             */
            name: string;
        };
        /** @description A way to deposit, in every language. */
        DepositMethodContent: {
            /**
             * @description When the money is there, by language.
             * @example {
             *       "en": "Within one working day"
             *     }
             */
            arrival: {
                [key: string]: string;
            };
            /**
             * @description What it costs, by language.
             * @example {
             *       "en": "No fee"
             *     }
             */
            fee: {
                [key: string]: string;
            };
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e5a
             */
            id: string;
            max: components["schemas"]["Money"] | null;
            min: components["schemas"]["Money"] | null;
            /**
             * @description Its name by language.
             * @example {
             *       "en": "Bank transfer"
             *     }
             */
            name: {
                [key: string]: string;
            };
        };
        /** @description A way to deposit in every language, as staff edit it. */
        DepositMethodContentInput: {
            /**
             * @description When the money is there, by language; `en` is required.
             * @example {
             *       "en": "Within one working day"
             *     }
             */
            arrival: {
                [key: string]: string;
            };
            /**
             * @description What it costs, by language; `en` is required.
             * @example {
             *       "en": "No fee"
             *     }
             */
            fee: {
                [key: string]: string;
            };
            /** @description Opaque id; assigned if absent. */
            id?: string | null;
            max?: components["schemas"]["MoneyInput"] | null;
            min?: components["schemas"]["MoneyInput"] | null;
            /**
             * @description Its name by language; `en` is required.
             * @example {
             *       "en": "Bank transfer"
             *     }
             */
            name: {
                [key: string]: string;
            };
        };
        /** @description Destination of a withdrawal. */
        Destination: (components["schemas"]["BankCard"] & {
            /** @enum {string} */
            kind: "bank_card";
        }) | (components["schemas"]["WalletAddress"] & {
            /** @enum {string} */
            kind: "wallet_address";
        });
        /** @description The bound withdrawal destinations. */
        Destinations: {
            bank_card: components["schemas"]["BankCard"] | null;
            wallet_address: components["schemas"]["WalletAddress"] | null;
        };
        /** @description Changes a scheduled announcement. What is absent stays as it is. */
        EditAnnouncementRequest: {
            category?: components["schemas"]["Category"] | null;
            /**
             * @description Text by language, at most 5000 characters each; `en` is required.
             * @example {
             *       "en": "The console is not available from 03:00 to 04:00 UTC."
             *     }
             */
            content?: {
                [key: string]: string;
            } | null;
            /**
             * @description The announcement.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e36
             */
            id: string;
            publish_at?: components["schemas"]["TimestampInput"] | null;
            /**
             * @description Title by language, at most 200 characters each; `en` is required.
             * @example {
             *       "en": "Maintenance on Sunday"
             *     }
             */
            title?: {
                [key: string]: string;
            } | null;
            to?: components["schemas"]["Recipients"] | null;
            /**
             * Format: int64
             * @description The version that the change is based on.
             * @example 1
             */
            version: number;
        };
        /** @description Changes a network; absent values stay. */
        EditNetworkRequest: {
            /** @description Display name. */
            name?: string | null;
            /**
             * @description The network.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e41
             */
            network_id: string;
            /**
             * @description Why; stored in the audit log.
             * @example reports hourly from now on
             */
            reason?: string | null;
            /**
             * Format: int32
             * @description Seconds after the end of an allotment until which it reports: 0 to 86400.
             */
            report_delay_seconds?: number | null;
            state?: components["schemas"]["SupplyState"] | null;
        };
        /** @description Changes a placement; absent values stay. */
        EditPlacementRequest: {
            /** @description ISO 3166-1 alpha-2 codes; empty for everywhere. */
            countries?: string[] | null;
            /** @description Form. */
            format?: string | null;
            /** @description Display name, unique within the network. */
            name?: string | null;
            /**
             * @description The placement.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42
             */
            placement_id: string;
            /**
             * @description Why; stored in the audit log.
             * @example redesigned
             */
            reason?: string | null;
            state?: components["schemas"]["SupplyState"] | null;
            /** @description Operating systems; empty for all. */
            systems?: string[] | null;
        };
        /** @description Changes a product. */
        EditProductRequest: {
            /** @description Audience of its advertisements. */
            audience: components["schemas"]["Audience"];
            /**
             * @description Displayed category.
             * @example Games
             */
            category: string;
            /** @description Advertising content it supports. */
            content_types: components["schemas"]["ContentType"][];
            /** @description Wide picture. */
            cover_url?: string | null;
            creative?: components["schemas"]["Creative"] | null;
            /**
             * @description Description.
             * @example A calm puzzle game by the sea.
             */
            description: string;
            /**
             * @description Game description; may be empty.
             * @example Match tiles, repair the harbour.
             */
            game_description: string;
            goal?: components["schemas"]["PlacementGoal"] | null;
            /**
             * @description Square icon.
             * @example /media/puzzle-harbour.png
             */
            icon_url?: string | null;
            /**
             * @description The product.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31
             */
            id: string;
            /**
             * @description Display name.
             * @example Puzzle Harbour
             */
            name: string;
            /** @description Placements that its plans may use; empty for all. Absent: unchanged, or all. */
            placements?: string[] | null;
            /** @description Maximum put amount. */
            put_max: components["schemas"]["MoneyInput"];
            /** @description Minimum put amount. */
            put_min: components["schemas"]["MoneyInput"];
            /**
             * Format: int32
             * @description Highest revenue of a plan that needs no second look, in percent of its spend: 0 to 10000. Absent: unchanged, or
             *     1000.
             * @example 1000
             */
            return_max_percent?: number | null;
            revenue_per_thousand_max?: components["schemas"]["MoneyInput"] | null;
        };
        /** @description Changes the given fields of the caller's profile; absent fields stay as they are. */
        EditProfileRequest: {
            /** @description Id of one of the caller's uploads; empty removes the picture. */
            avatar_file_id?: string | null;
            /**
             * @description E-mail address.
             * @example ada@example.com
             */
            email?: string | null;
            lang?: components["schemas"]["Lang"] | null;
            /**
             * @description Display name, 1 to 50 characters.
             * @example Ada
             */
            nickname?: string | null;
            /**
             * @description Phone number.
             * @example +4915112345678
             */
            phone?: string | null;
        };
        /** @description A code is on its way to the caller's e-mail address. */
        EmailCode: {
            /** @description Until then it confirms the address. */
            valid_until: components["schemas"]["Timestamp"];
        };
        /** @description An empty object. */
        Empty: Record<string, never>;
        /** @description Ends one session of the caller, or all except the current one. */
        EndSessionsRequest: {
            /**
             * @description Id of one session. The current one is logged out.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42
             */
            id?: string | null;
            /** @description All sessions except the current one. */
            others?: boolean | null;
        };
        /** @description Ends every session of a member. */
        EndStaffSessionsRequest: {
            /**
             * @description The member: anybody for an admin, oneself for the others.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39
             */
            staff_id: string;
        };
        /** @description Ends all sessions of a user. */
        EndUserSessionsRequest: {
            /**
             * @description Why, 1 to 500 characters; the user's security log shows it.
             * @example The user reported a stolen phone
             */
            reason: string;
            /**
             * @description The user.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            user_id: string;
        };
        /** @description The sessions of a user have ended. */
        EndedSessions: {
            /**
             * Format: int64
             * @description How many had not ended before.
             * @example 2
             */
            ended: number;
        };
        /**
         * @description How a user's account was created.
         * @enum {string}
         */
        Entry: "register" | "host";
        /** @description The plan that an entry belongs to. */
        EntryPlan: {
            /**
             * @description Its id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32
             */
            id: string;
            /**
             * @description Its number.
             * @example AD261120K3F9ZQ
             */
            plan_number: string;
            /**
             * @description Name of its product.
             * @example Harbor Legends
             */
            product: string;
        };
        /** @description Why a call was refused. */
        ErrorData: {
            /**
             * @description The offending input.
             * @example amount
             */
            field: string | null;
            /** @description The language that `msg` is in. */
            lang: components["schemas"]["Lang"];
            missing: components["schemas"]["Money"] | null;
            /** @description The reason; its name is stable. */
            reason: components["schemas"]["Reason"];
            /**
             * Format: int64
             * @description Seconds to wait before the next attempt.
             */
            retry_after: number | null;
            rule: components["schemas"]["Rule"] | null;
        };
        /** @description Why a call was refused. */
        ErrorEnvelope: {
            /** @enum {integer} */
            code: 400 | 401 | 402 | 403 | 404 | 405 | 429 | 500 | 503 | 4001;
            data: components["schemas"]["ErrorData"];
            /** @description In the language of `data.lang`. */
            msg: string;
        };
        /** @description What of the figures of a range is estimated from an import's pricing. */
        EstimatedShare: {
            /** @description Of the revenue. */
            revenue: components["schemas"]["Money"];
            /** @description Of the spend. */
            spend: components["schemas"]["Money"];
        };
        /**
         * @description All users.
         * @enum {string}
         */
        Everybody: "all";
        /** @description The acceptor of an exchange order. */
        ExchangeAcceptor: {
            /**
             * @description Its id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e37
             */
            id: string;
            /** @description Person or enterprise. */
            kind: components["schemas"]["AcceptorKind"];
            /**
             * @description Display name.
             * @example Harbour Exchange Ltd
             */
            name: string;
        };
        /**
         * @description Decision on an exchange order.
         * @enum {string}
         */
        ExchangeDecision: "completed" | "cancelled";
        /**
         * @description Direction of an exchange.
         * @enum {string}
         */
        ExchangeDirection: "wallet_to_currency" | "currency_to_wallet";
        /** @description An exchange order. */
        ExchangeOrder: {
            /** @description The acceptor. */
            acceptor: components["schemas"]["ExchangeAcceptor"];
            /** @description Wallet amount. */
            amount: components["schemas"]["Money"];
            /**
             * @description The amount in the other currency, as decimal text.
             * @example 92.35
             */
            counter_amount: string;
            /** @description When it was opened. */
            create_time: components["schemas"]["Timestamp"];
            /**
             * @description The other currency, ISO 4217.
             * @example EUR
             */
            currency: string;
            /** @description The direction. */
            direction: components["schemas"]["ExchangeDirection"];
            expire_time: components["schemas"]["Timestamp"] | null;
            finish_time: components["schemas"]["Timestamp"] | null;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3d
             */
            id: string;
            /**
             * @description What the wallet lacked when the order was to be completed although it had ended, because its payment came late;
             *     0.00 if nothing.
             */
            missing: components["schemas"]["Money"];
            /**
             * @description Units of the other currency for one unit of wallet money, as decimal text.
             * @example 0.9235
             */
            rate: string;
            /** @description Why it was cancelled. */
            reason: string | null;
            /** @description Its state. */
            status: components["schemas"]["ExchangeStatus"];
        };
        /** @description A page of a list. */
        ExchangeOrderPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["ExchangeOrder"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * @description Status of an exchange order.
         * @enum {string}
         */
        ExchangeStatus: "pending" | "completed" | "cancelled" | "expired";
        /** @description A question and its answer. */
        Faq: {
            /**
             * @description The answer.
             * @example Learning needs about 30 to 50 conversions within 7 days.
             */
            content: string;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31
             */
            id: string;
            /**
             * @description The question.
             * @example How long does learning take?
             */
            title: string;
        };
        /** @description A question and its answer, in every language. */
        FaqContent: {
            /**
             * @description The answer by language.
             * @example {
             *       "en": "About 30 to 50 conversions within 7 days."
             *     }
             */
            content: {
                [key: string]: string;
            };
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3c
             */
            id: string;
            /**
             * @description The question by language.
             * @example {
             *       "en": "How long does learning take?"
             *     }
             */
            title: {
                [key: string]: string;
            };
        };
        /** @description A question and its answer in every language, as staff edit them. */
        FaqContentInput: {
            /**
             * @description The answer by language; `en` is required.
             * @example {
             *       "en": "About 30 to 50 conversions within 7 days."
             *     }
             */
            content: {
                [key: string]: string;
            };
            /** @description Opaque id; assigned if absent. */
            id?: string | null;
            /**
             * @description The question by language; `en` is required.
             * @example {
             *       "en": "How long does learning take?"
             *     }
             */
            title: {
                [key: string]: string;
            };
        };
        /** @description Feedback with its user. */
        Feedback: {
            closed_at: components["schemas"]["Timestamp"] | null;
            /** @description The member of staff who closed it. */
            closed_by: string | null;
            /**
             * @description Text.
             * @example The series of my plan shows no clicks since noon.
             */
            content: string;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3f
             */
            id: string;
            /** @description Addresses of its images. */
            images: string[];
            /** @description Reply of staff. */
            reply: string | null;
            /** @description Its state. */
            state: components["schemas"]["FeedbackState"];
            /** @description When it was created. */
            time: components["schemas"]["Timestamp"];
            /**
             * @description Subject.
             * @example Delivery
             */
            topic: string;
            /** @description Its user. */
            user: components["schemas"]["UserName"];
        };
        /** @description A page of a list. */
        FeedbackPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["Feedback"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description Submits feedback. */
        FeedbackRequest: {
            /**
             * @description Text, 1 to 5000 characters.
             * @example The series of my plan shows no clicks since noon.
             */
            content: string;
            /** @description Ids of the caller's own uploads, at most 9. */
            images?: string[] | null;
            /**
             * @description Subject, 1 to 200 characters.
             * @example Delivery
             */
            topic: string;
        };
        /**
         * @description State of feedback.
         * @enum {string}
         */
        FeedbackState: "open" | "closed";
        /** @description A figure over all plans of a list: an amount, or a number of plans for `delivery_orders`. */
        FigureSum: components["schemas"]["Money"] | number;
        /**
         * @description Amount in the platform's currency, with two to six decimals.
         * @example 0.0125
         */
        FineMoney: string;
        /**
         * @description How delivery ends.
         * @enum {string}
         */
        FinishOutcome: "put_finished" | "put_failed";
        /** @description Ends delivery of a plan. */
        FinishPlanRequest: {
            /**
             * @description The plan.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32
             */
            id: string;
            /** @description How. */
            outcome: components["schemas"]["FinishOutcome"];
            /**
             * @description Reason; shown in the plan's timeline.
             * @example Window over
             */
            reason?: string | null;
        };
        /** @description An alert that fires. */
        FiringAlert: {
            /**
             * @description Its name, under which the runbook says what to do.
             * @example BooksDoNotBalance
             */
            name: string;
            /** @description How urgent it is. */
            severity: components["schemas"]["AlertSeverity"];
            /** @description Since when its condition holds. */
            since: components["schemas"]["Timestamp"];
            /**
             * @description What is wrong, in English.
             * @example The books do not balance (entries_sum_to_zero)
             */
            summary: string;
        };
        /** @description Alerts that fire. */
        FiringAlerts: {
            /** @description At most 20: those that wake somebody first, the oldest first among them. */
            items: components["schemas"]["FiringAlert"][];
            /** @description Whether there are more. */
            more: boolean;
            /** @description Whether they are known. */
            state: components["schemas"]["AlertsState"];
        };
        /** @description An entry of the fund details. */
        FlowEntry: {
            /** @description The account that changed. */
            account: components["schemas"]["WalletAccount"];
            /** @description Signed change of the account's balance. */
            amount: components["schemas"]["Money"];
            /** @description The account's balance after the posting. */
            balance_after: components["schemas"]["Money"];
            /**
             * @description Hash of the wallet's chain at this posting: SHA-256 in lower-case hex.
             * @example 5df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456
             */
            hash: string;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e34
             */
            id: string;
            plan: components["schemas"]["EntryPlan"] | null;
            /**
             * @description Id of the object it belongs to, for example a plan.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32
             */
            reference: string | null;
            /** @description Staff's remark. */
            remark: string | null;
            /** @description When it was posted. */
            time: components["schemas"]["Timestamp"];
            /**
             * @description Whether the money moved between two of the wallet's own balances, as a put's does; what is earned, spent, paid in
             *     or paid out does not.
             */
            transfer: boolean;
            /** @description Its type. */
            type: components["schemas"]["FlowType"];
        };
        /** @description A page of fund details. */
        FlowPage: {
            /** @description The entries, newest first. */
            items: components["schemas"]["FlowEntry"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            totals: components["schemas"]["FlowTotals"] | null;
        };
        /** @description What all entries of a list add up to, on whatever page. */
        FlowTotals: {
            /** @description What came in. */
            in: components["schemas"]["Money"];
            /** @description What came in less what went out. */
            net: components["schemas"]["Money"];
            /** @description What went out, as a positive amount. */
            out: components["schemas"]["Money"];
        };
        /**
         * @description Type of an entry of the fund details.
         * @enum {string}
         */
        FlowType: "system_top_up" | "manual_payout" | "ad_billing" | "ad_serving" | "system_chargeback" | "virtual_recharge_deduction" | "open_membership" | "profit_sharing" | "discount_amount" | "exchange" | "start_up_funds" | "guarantee";
        /** @description A period of following an operator. */
        Follow: {
            ended_at: components["schemas"]["Timestamp"] | null;
            /** @description When following began. */
            followed_at: components["schemas"]["Timestamp"];
            /**
             * @description The operator.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b
             */
            operator_id: string;
            /**
             * @description Their name.
             * @example North Sea Media
             */
            operator_name: string;
        };
        /** @description A page of follows. */
        FollowPage: {
            /**
             * @description The operator the caller follows; null if none.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b
             */
            current_operator_id: string | null;
            /** @description The periods, newest first. */
            items: components["schemas"]["Follow"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description Follows an operator instead of the current one. */
        FollowRequest: {
            /**
             * @description The operator.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b
             */
            operator_id: string;
        };
        /** @description A wallet that nothing leaves, because its owner has said so. */
        Freeze: {
            /** @description Since when nothing leaves. */
            frozen_at: components["schemas"]["Timestamp"];
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e44
             */
            id: string;
            lifted_at: components["schemas"]["Timestamp"] | null;
            owner_agreed_at: components["schemas"]["Timestamp"] | null;
            /** @description What the owner said. */
            reason: string | null;
            staff_agreed_at: components["schemas"]["Timestamp"] | null;
            /** @description The member of staff. */
            staff_id: string | null;
            /** @description What the member of staff said. */
            staff_reason: string | null;
            /**
             * @description Owner of the wallet.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            user_id: string;
        };
        /** @description Freezes the wallet of the user whose mail has the link. */
        FreezeByMailRequest: {
            /**
             * @description The token of the link.
             * @example mS3vDk0nqL7xYw1aB5cE9fGhJ2kPtR4uVzN6oQ8iXyI
             */
            token: string;
        };
        /** @description A page of a list. */
        FreezePage: {
            /** @description The items, newest first. */
            items: components["schemas"]["Freeze"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description Freezes the caller's wallet. */
        FreezeRequest: {
            /**
             * @description Why, up to 500 characters; staff see it.
             * @example I did not log in from there
             */
            reason?: string | null;
        };
        /** @description A fresh session. */
        Fresh: {
            /** @description Until then it is fresh. */
            fresh_until: components["schemas"]["Timestamp"];
        };
        /** @description A staff session that is fresh. */
        FreshStaffSession: {
            /** @description Until then it is fresh. */
            fresh_until: components["schemas"]["Timestamp"];
        };
        /**
         * @description Target gender of an advertisement.
         * @enum {string}
         */
        Gender: "any" | "female" | "male";
        /** @description Grants a coupon. */
        GrantCouponRequest: {
            /**
             * @description The campaign.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e35
             */
            campaign_id: string;
            /**
             * @description The user.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            user_id: string;
        };
        /**
         * @description Action on the guarantee.
         * @enum {string}
         */
        GuaranteeAction: "deposit" | "return";
        /** @description Moves money of the user from the available funds to the guarantee, or back. */
        GuaranteeRequest: {
            /** @description The direction. */
            action: components["schemas"]["GuaranteeAction"];
            /** @description Amount. */
            amount: components["schemas"]["MoneyInput"];
            /**
             * @description Remark shown to the user, at most 500 characters.
             * @example Guarantee for shop level 3
             */
            remark?: string | null;
            /**
             * @description Owner of the wallet.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            user_id: string;
        };
        /** @description That the newest checkpoint has the caller's first head that was published at or after a transaction. */
        HeadProof: {
            /**
             * Format: int64
             * @description Its place in the log, from 0.
             * @example 941
             */
            index: number;
            /**
             * @description The published head: `adfolio-head-1|USER|SEQUENCE|HASH`.
             * @example adfolio-head-1|0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e34|17|5df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456
             */
            leaf: string;
            /** @description Hashed texts of the transactions behind that one, up to and with the head's; none if they are more than 1000. */
            links: string[];
            /**
             * @description The checkpoint as a signed note.
             * @example adfolio/wallet
             *     1000
             *     Xfbg4nYTWdMKgnUFjimfzAOBU0VF9Vz0PkGYP11MlFY=
             *     time 2026-11-26T09:30:00Z
             *
             *     — adfolio/wallet AAAA
             */
            note: string;
            /** @description Hashes from the leaf to the root, in lower-case hex. */
            path: string[];
            /**
             * Format: int64
             * @description Heads in the log of the note.
             * @example 1000
             */
            size: number;
        };
        /** @description A native host shell that vouches for its users. */
        Host: {
            /** @description When it was registered. */
            created_at: components["schemas"]["Timestamp"];
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e40
             */
            id: string;
            /** @description Its keys, oldest first. */
            keys: components["schemas"]["HostKey"][];
            /**
             * @description Its unique name.
             * @example Partner app
             */
            name: string;
        };
        /** @description Enters as a host's user. */
        HostEntryRequest: {
            /**
             * @description JWT with `alg` EdDSA and the `kid` of a registered key; `aud` is `adfolio`, `sub` the host's id of its user, `exp`
             *     at most 5 minutes after `iat`, and `jti` is used once.
             * @example eyJhbGciOiJFZERTQSIsImtpZCI6ImtQcksifQ.eyJzdWIiOiJ1LTEifQ.c2lnbmF0dXJl
             */
            assertion: string;
        };
        /** @description A key with which a host signs. */
        HostKey: {
            /** @description When it was added. */
            added_at: components["schemas"]["Timestamp"];
            /**
             * @description RFC 7638 thumbprint: the `kid` of the JWT's header.
             * @example kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
             */
            kid: string;
            revoked_at: components["schemas"]["Timestamp"] | null;
        };
        /** @description All hosts. */
        HostList: {
            /** @description Oldest first. */
            items: components["schemas"]["Host"][];
        };
        /** @description Issues a token for a user of a native host shell. */
        HostTokenRequest: {
            /**
             * @description The host's id of its user, 1 to 200 characters. The same id always means the same user.
             * @example host-user-4711
             */
            external_user_id: string;
            /**
             * @description The registered host whose user it is; absent for a host that is not registered.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e40
             */
            host_id?: string | null;
            lang?: components["schemas"]["Lang"] | null;
        };
        /**
         * @description Decision of a second member of staff.
         * @enum {string}
         */
        ImportDecision: "released" | "rejected";
        /**
         * @description Result of an import. Proposed: nothing was taken, and the numbers of rows say what would be. Released: they say
         *     what was.
         */
        ImportResult: {
            /**
             * Format: int64
             * @description New rows.
             * @example 9999
             */
            applied: number;
            /** @description Rows above a limit that wait although others were taken. None of a file, which waits as a whole. */
            held: components["schemas"]["RejectedRow"][];
            /**
             * @description The import; null after a dry run.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e50
             */
            import_id: string | null;
            /** @description What stands out. */
            notable: components["schemas"]["NotableRow"][];
            /** @description Rows that the gate holds back until staff decide on each, with the rules that they break; at most 20000 are listed. */
            quarantined: components["schemas"]["RejectedRow"][];
            /**
             * Format: int64
             * @description Number of those.
             * @example 1
             */
            quarantined_count: number;
            /**
             * Format: int64
             * @description Rows read.
             * @example 10000
             */
            read: number;
            /** @description Rejected rows; at most 20000 are listed. */
            rejected: components["schemas"]["RejectedRow"][];
            /**
             * Format: int64
             * @description Number of rejected rows.
             * @example 1
             */
            rejected_count: number;
            /**
             * Format: int64
             * @description Rows that were already known.
             * @example 0
             */
            repeated: number;
            /**
             * Format: int64
             * @description Rows that restated an earlier revision.
             * @example 0
             */
            restated: number;
            /**
             * @description SHA-256 of the file in hexadecimal.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            sha256: string;
            /**
             * @description The source's key that signed the file; null if none did.
             * @example kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
             */
            signed_by: string | null;
            /** @description Its state. */
            state: components["schemas"]["ImportState"];
            /** @description What it adds up to. */
            totals: components["schemas"]["ImportTotals"];
        };
        /**
         * @description State of an import.
         * @enum {string}
         */
        ImportState: "proposed" | "released" | "rejected" | "expired";
        /** @description What the rows of an import that change anything add up to. */
        ImportTotals: {
            /**
             * Format: int64
             * @description Clicks.
             * @example 840
             */
            clicks: number;
            /**
             * Format: int64
             * @description Impressions.
             * @example 12000
             */
            impressions: number;
            /**
             * Format: int64
             * @description Plans with at least one report.
             * @example 3
             */
            plans: number;
            /** @description Revenue. */
            revenue: components["schemas"]["FineMoney"];
            /** @description Spend, as reported. */
            spend: components["schemas"]["FineMoney"];
        };
        /** @description A file that brought a report. */
        ImportedFile: {
            /**
             * Format: int64
             * @description The report's line in it.
             */
            line: number;
            /**
             * @description SHA-256 of the file in hexadecimal; null if its import broke off.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            sha256: string | null;
            /** @description When it was imported. */
            time: components["schemas"]["Timestamp"];
        };
        /** @description Issues a further key of a network. */
        IssueNetworkKeyRequest: {
            /**
             * @description The network.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e41
             */
            network_id: string;
            /**
             * Format: int32
             * @description Seconds for which its earlier keys stay valid: 0 to 2592000. Absent: 86400.
             * @example 86400
             */
            overlap_seconds?: number | null;
            /**
             * @description Why; stored in the audit log.
             * @example rotation
             */
            reason?: string | null;
        };
        /**
         * @description A language of the interface, by Adfolio's own code.
         * @example en
         * @enum {string}
         */
        Lang: "cht" | "de" | "en" | "fr" | "jp" | "kor" | "pt" | "ru" | "spa" | "th" | "vi" | "zh";
        /** @description A language of the interface. */
        Language: {
            /** @description Its code in `X-Lang`. */
            code: components["schemas"]["Lang"];
            /**
             * @description Its BCP 47 tag.
             * @example en
             */
            locale: string;
            /**
             * @description Its name in English.
             * @example English
             */
            name: string;
            /**
             * @description Its own name for itself.
             * @example English
             */
            native_name: string;
        };
        /** @description The languages of the interface. */
        LanguageList: {
            /** @description The default language. */
            default: components["schemas"]["Lang"];
            /** @description All of them. */
            items: components["schemas"]["Language"][];
        };
        /** @description Browsers' language codes and the language they map to. */
        LanguageMapping: {
            /**
             * @description Browsers' language codes in lower case, separated by commas.
             * @example zh-tw,zh-hk,zh-mo,zh-hant
             */
            source: string;
            /** @description The language. */
            targets: components["schemas"]["Lang"];
        };
        /** @description How much is known of what works for a plan. */
        Learning: {
            /**
             * Format: int64
             * @description Clicks of the last seven days.
             * @example 12
             */
            clicks: number;
            /**
             * Format: int64
             * @description Clicks in seven days from which it is no longer learning.
             * @example 50
             */
            of: number;
        };
        /** @description What leaves a wallet within 24 hours at most. */
        LeaveLimits: {
            /** @description Altogether. */
            per_day: components["schemas"]["Money"];
            /** @description To one destination: the bank card, the wallet address, or exchange orders. */
            per_destination: components["schemas"]["Money"];
        };
        /** @description A legal text. */
        Legal: {
            /** @description Which text. */
            name: components["schemas"]["LegalName"];
            /**
             * @description In the caller's language, in English where that language has none. Paragraphs are separated by blank lines.
             * @example These terms apply to every account.
             */
            text: string;
        };
        /**
         * @description A text that the law or the business asks for.
         * @enum {string}
         */
        LegalName: "imprint" | "terms" | "privacy" | "fees";
        /** @description A licence key (authorisation code). */
        License: {
            /** @description Whether the account it opens is active immediately. */
            activate: boolean;
            /**
             * @description The code, as issued.
             * @example 7KQ2-M9TX-4WPA-ZC3H
             */
            code: string;
            /** @description When it was issued. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Staff's note. */
            note: string | null;
            /** @description Its state. */
            state: components["schemas"]["LicenseState"];
            /** @description The user it opened an account for. */
            user_id: string | null;
        };
        /** @description The issued licence keys. */
        LicenseList: {
            /** @description The keys. */
            items: components["schemas"]["License"][];
        };
        /** @description A page of a list. */
        LicensePage: {
            /** @description The items, newest first. */
            items: components["schemas"]["License"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * @description State of a licence key.
         * @enum {string}
         */
        LicenseState: "unused" | "used";
        /** @description Agrees to lift a user's freeze. */
        LiftFreezeRequest: {
            /**
             * @description How staff know that the owner asks for it, 1 to 500 characters; audited.
             * @example Called back on the known number
             */
            reason: string;
            /**
             * @description The user.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            user_id: string;
        };
        /** @description A member of staff in the list. */
        ListedStaff: {
            /** @description Who confirmed that another person than its maker holds the account. */
            confirmed_by: string | null;
            /** @description When the account was created. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Whether a second factor is active: an authenticator app or a passkey. */
            has_second_factor: boolean;
            /** @description Whether an authenticator app is active. */
            has_totp: boolean;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39
             */
            id: string;
            last_login_at: components["schemas"]["Timestamp"] | null;
            /** @description Who made the account; null for a founder. */
            made_by: string | null;
            /** @description Whether the member has a one-time password: a session may then only change it or log out. */
            must_change_password: boolean;
            /**
             * Format: int32
             * @description Number of passkeys.
             * @example 1
             */
            passkeys: number;
            /** @description Role of the member. */
            role: components["schemas"]["StaffRole"];
            /**
             * Format: int32
             * @description Number of active sessions.
             * @example 1
             */
            sessions: number;
            /** @description State of the account. */
            state: components["schemas"]["StaffState"];
            /**
             * @description Login name.
             * @example admin
             */
            username: string;
        };
        /** @description A page of a list. */
        ListedStaffPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["ListedStaff"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description Opens a session. */
        LoginRequest: {
            /**
             * @description Token of this device from an earlier answer. One that the account does not know counts as none.
             * @example 3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
             */
            device_token?: string | null;
            /**
             * @description Password.
             * @example adfolio-demo-1
             */
            password: string;
            /**
             * @description Login name, case-insensitive.
             * @example demo
             */
            username: string;
        };
        /** @description Marks one notification (`id`) or all of them (`all`), optionally of one category, as read. */
        MarkReadRequest: {
            /** @description All of them. */
            all?: boolean | null;
            category?: components["schemas"]["CategoryFilter"] | null;
            /**
             * @description One notification.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e36
             */
            id?: string | null;
        };
        /** @description Marketing texts of the first page. */
        Marketing: {
            /**
             * @description One line.
             * @example Your ads, placed for you.
             */
            headline: string;
        };
        /** @description The marketing texts. */
        MarketingContent: {
            /**
             * @description The headline by language.
             * @example {
             *       "en": "Advertise where people play"
             *     }
             */
            headline: {
                [key: string]: string;
            };
        };
        /** @description The marketing texts, as staff edit them. */
        MarketingContentInput: {
            /**
             * @description The headline by language; `en` is required.
             * @example {
             *       "en": "Advertise where people play"
             *     }
             */
            headline: {
                [key: string]: string;
            };
        };
        /** @description The caller's own account and session. */
        Me: components["schemas"]["Staff"] & {
            /** @description The session of the call. */
            session: components["schemas"]["OwnStaffSession"];
        };
        /** @description Opens a membership and charges its fee. */
        MembershipRequest: {
            /** @description The fee. */
            amount: components["schemas"]["MoneyInput"];
            /**
             * @description The user.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            user_id: string;
        };
        /**
         * @description Amount in the platform's currency, with exactly two decimals.
         * @example 1250.00
         */
        Money: string;
        /**
         * @description Amount as decimal text or number: at most two decimals; no sign, exponent or blanks.
         * @example 1250.00
         * @example 1250
         */
        MoneyInput: string | number;
        /**
         * @description A month, `YYYY-MM`.
         * @example 2026-11
         */
        Month: string;
        /**
         * Format: int32
         * @description Number of months: 1 to 24.
         * @example 12
         */
        MonthCount: number;
        /** @description The sums of a month. */
        MonthSummary: {
            /**
             * @description Change of the available funds by type; the values add up to `net`.
             * @example {
             *       "ad_serving": "-500.00",
             *       "system_top_up": "2000.00"
             *     }
             */
            by_type: {
                [key: string]: components["schemas"]["Money"];
            };
            /** @description Deposits credited by staff. */
            deposits: components["schemas"]["Money"];
            /** @description Sum of the types that took more than they brought, as a positive amount. */
            expense: components["schemas"]["Money"];
            /** @description Sum of the types that brought more than they took. */
            income: components["schemas"]["Money"];
            /** @description Start-up funds lent, less what was returned. */
            lent: components["schemas"]["Money"];
            /**
             * @description The month in the caller's time zone.
             * @example 2026-11
             */
            month: string;
            /** @description Change of the available funds: income less expense. */
            net: components["schemas"]["Money"];
            /** @description Revenue paid out. */
            revenue: components["schemas"]["Money"];
            /** @description Put into plans, less what came back. */
            spent: components["schemas"]["Money"];
            /** @description Withdrawn, less what came back. */
            withdrawn: components["schemas"]["Money"];
        };
        /** @description The months, newest first. Months without entries are included with zeros. */
        Monthly: {
            /**
             * @description Month of the wallet's first entry, in the caller's time zone: statements begin with it. Null without any.
             * @example 2026-02
             */
            first_month: string | null;
            /** @description The months. */
            items: components["schemas"]["MonthSummary"][];
        };
        /** @description A network, which shows advertisements on its placements. */
        Network: {
            /** @description When it was created. */
            created_at: components["schemas"]["Timestamp"];
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e41
             */
            id: string;
            /** @description Its valid keys, newest first. */
            keys: components["schemas"]["NetworkKey"][];
            /**
             * @description Display name.
             * @example Network A
             */
            name: string;
            /**
             * Format: int32
             * @description Seconds after the end of an allotment until which it reports. What it has not reported then goes back to the plan.
             * @example 300
             */
            report_delay_seconds: number;
            /** @description Whether its delivery is simulated; whatever it reports is marked so for ever. */
            simulated: boolean;
            /**
             * @description The source that its reports name.
             * @example network-a
             */
            source: string;
            /** @description Whether plans are placed on it. */
            state: components["schemas"]["SupplyState"];
        };
        /** @description A valid key of a network, without the key. */
        NetworkKey: {
            expires_at: components["schemas"]["Timestamp"] | null;
            /**
             * @description Its last four characters.
             * @example 9f3c
             */
            hint: string;
            /** @description When it was issued. */
            issued_at: components["schemas"]["Timestamp"];
        };
        /** @description A page of a list. */
        NetworkPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["Network"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description Result of a network's report. */
        NetworkReportResult: {
            /**
             * Format: int64
             * @description New reports.
             * @example 98
             */
            applied: number;
            /** @description Reports above a limit of their product, which wait for a member of staff; at most 20000 are listed. */
            held: components["schemas"]["RejectedRow"][];
            /** @description Reports that the gate holds back until staff decide, with the rules that they break; at most 20000 are listed. */
            quarantined: components["schemas"]["RejectedRow"][];
            /**
             * Format: int64
             * @description Number of those.
             * @example 1
             */
            quarantined_count: number;
            /**
             * Format: int64
             * @description Lines read.
             * @example 100
             */
            read: number;
            /** @description Rejected lines; at most 20000 are listed. */
            rejected: components["schemas"]["RejectedRow"][];
            /**
             * Format: int64
             * @description Number of rejected lines.
             * @example 1
             */
            rejected_count: number;
            /**
             * Format: int64
             * @description Reports that were already known.
             * @example 0
             */
            repeated: number;
            /**
             * Format: int64
             * @description Reports that restated an earlier revision.
             * @example 0
             */
            restated: number;
            /**
             * @description SHA-256 of the lines in hexadecimal.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            sha256: string;
        };
        /**
         * @description One JSON object per line, with `report_id`, `revision` (1 if absent), `plan_number`, `placement` (id or name), `time`, `impressions`, `clicks`, `spend` and `revenue`. At most 64 MiB.
         * @example {"clicks":35,"impressions":5000,"placement":"0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42","plan_number":"AD2611200042","report_id":"0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e43","revenue":"15.50","revision":1,"spend":"10.00","time":"2026-11-20T09:00:00Z"}
         */
        NetworkReports: string;
        /** @description A network with a key that was just issued. */
        NetworkWithKey: components["schemas"]["Network"] & {
            /**
             * @description The key, which the network sends as `X-Network-Key`; returned only here.
             * @example 5f0c…
             */
            key: string;
        };
        /** @description Something of a plan that stands out in an import. */
        NotableRow: {
            /**
             * @description The plan; empty for the whole file.
             * @example AD20261120-7F3K2M
             */
            plan_number: string;
            /**
             * @description `return_on_spend`, `revenue_without_spend`, `revenue_per_thousand` and `return_on_budget` are limits of the product,
             *     which a release names in its reason; `spend_per_thousand`, `above_budget`, `before_put` and `new_key` only stand out.
             * @example return_on_spend
             */
            rule: string;
            /**
             * @description What would not stand out.
             * @example 10.00
             */
            usual: string;
            /**
             * @description What the import says: an amount, a ratio or a time.
             * @example 14.20
             */
            value: string;
        };
        /** @description A notification. */
        Notification: {
            /** @description Its category. */
            category: components["schemas"]["Category"];
            /**
             * @description Text in the caller's language.
             * @example 2,000.00 was added to your available funds.
             */
            content: string;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e36
             */
            id: string;
            /** @description What it is about. */
            kind: components["schemas"]["NotificationKind"];
            /** @description Whether it was read. */
            read: boolean;
            target: components["schemas"]["NotificationTarget"] | null;
            /** @description When it was created. */
            time: components["schemas"]["Timestamp"];
            /**
             * @description Title in the caller's language.
             * @example Deposit credited
             */
            title: string;
        };
        /**
         * @description What a notification is about.
         * @enum {string}
         */
        NotificationKind: "money" | "plan" | "security" | "offer";
        /** @description Filters for notifications. */
        NotificationListRequest: {
            category?: components["schemas"]["CategoryFilter"] | null;
            /** @description `next_cursor` of the previous page; the first page if absent. */
            cursor?: string | null;
            filter?: components["schemas"]["ReadFilter"] | null;
            limit?: components["schemas"]["PageLimit"] | null;
        };
        /** @description A page of notifications. */
        NotificationPage: {
            /** @description The notifications, newest first. */
            items: components["schemas"]["Notification"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            /**
             * Format: int64
             * @description Of two counts, also those of the event stream, the one with the larger number is later.
             * @example 12
             */
            sequence: number;
            /**
             * Format: int64
             * @description Number of unread notifications in all categories.
             * @example 3
             */
            unread_total: number;
        };
        /** @description One thing that a notification leads to. */
        NotificationTarget: {
            /**
             * @description Its id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e34-1
             */
            id: string;
            /** @description What it is. */
            kind: components["schemas"]["NotificationTargetKind"];
        };
        /**
         * @description What a notification leads to.
         * @enum {string}
         */
        NotificationTargetKind: "entry" | "withdrawal" | "exchange" | "plan" | "coupon";
        /** @description An offer to exchange. */
        Offer: {
            /**
             * @description The other currency, ISO 4217.
             * @example EUR
             */
            currency: string;
            /** @description The direction. */
            direction: components["schemas"]["ExchangeDirection"];
            /** @description When the offer ends. */
            expires_at: components["schemas"]["Timestamp"];
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e38
             */
            id: string;
            /** @description Maximum wallet amount. */
            max: components["schemas"]["Money"];
            /** @description Minimum wallet amount. */
            min: components["schemas"]["Money"];
            /**
             * @description Units of the other currency for one unit of wallet money, as decimal text.
             * @example 0.9235
             */
            rate: string;
        };
        /** @description Creates an account, in the older format. */
        OlderRegisterRequest: {
            /**
             * @description The same password again; `confirmPassword` is accepted too.
             * @example correct horse battery
             */
            confirm_password?: string | null;
            /**
             * @description E-mail address.
             * @example ada@example.com
             */
            email?: string | null;
            /**
             * @description Authorisation code; `license_key` is accepted too.
             * @example DEMO-LICENSE-0001
             */
            licenseKey: string;
            /**
             * @description Display name; the user name if absent.
             * @example Ada
             */
            nickname?: string | null;
            /**
             * @description Password, 8 to 128 characters; no common one, and not made of the names.
             * @example correct horse battery
             */
            password: string;
            /**
             * @description Phone number.
             * @example +4915112345678
             */
            phone?: string | null;
            /**
             * @description Login name.
             * @example ada.lovelace
             */
            username: string;
        };
        /** @description A session, in the older format. */
        OlderSession: {
            /**
             * @description Token of this device, to be sent at later logins.
             * @example 3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
             */
            device_token: string | null;
            /**
             * @description The token for `X-CT`; returned only here.
             * @example q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA
             */
            token: string;
        };
        /** @description Opens an ad account. */
        OpenStoreRequest: {
            /**
             * @description Authorisation code.
             * @example DEMO-LICENSE-0002
             */
            code: string;
        };
        /** @description A proxy operator. */
        Operator: {
            /**
             * Format: int64
             * @description Current number of followers.
             * @example 0
             */
            followers: number;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b
             */
            id: string;
            /**
             * @description Display name.
             * @example North Sea Media
             */
            name: string;
        };
        /** @description A page of a list. */
        OperatorPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["Operator"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description An active session of the caller. */
        OwnSession: {
            /**
             * @description IP address that opened the session; null if unknown.
             * @example 192.0.2.7
             */
            address: string | null;
            /** @description When it was opened. */
            created_at: components["schemas"]["Timestamp"];
            /** @description Whether it is the current session. */
            current: boolean;
            /** @description When it expires if not used. */
            expires_at: components["schemas"]["Timestamp"];
            /**
             * @description Opaque id; not the token.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42
             */
            id: string;
            /** @description When it was last used, to the minute. */
            last_used_at: components["schemas"]["Timestamp"];
            /**
             * @description `User-Agent` of the client that opened the session; null if it sent none.
             * @example Mozilla/5.0 (Linux; Android 15) Chrome/142.0 Mobile
             */
            user_agent: string | null;
        };
        /** @description The caller's sessions. */
        OwnSessionList: {
            /** @description The active sessions, newest first. */
            items: components["schemas"]["OwnSession"][];
        };
        /** @description The caller's session. */
        OwnStaffSession: {
            expires_at: components["schemas"]["Timestamp"] | null;
            fresh_until: components["schemas"]["Timestamp"] | null;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3a
             */
            id: string;
            opened_at: components["schemas"]["Timestamp"] | null;
            /** @description Whether it lacks the second factor that it needs: it may then only set one up, show it, or log out. */
            second_factor_missing: boolean;
        };
        /** @description What is planned and spent until a time. */
        PacePoint: {
            /** @description The upper edge. */
            high: components["schemas"]["Money"];
            /** @description The lower edge of the band in which a plan is on pace. */
            low: components["schemas"]["Money"];
            /** @description Planned to be spent until then. */
            planned: components["schemas"]["Money"];
            spent: components["schemas"]["Money"] | null;
            /** @description The time. */
            time: components["schemas"]["Timestamp"];
        };
        /**
         * @description How a plan keeps pace.
         * @enum {string}
         */
        PaceState: "not_paced" | "too_early" | "on_pace" | "behind" | "ahead" | "ended";
        /**
         * @description How many rows.
         * @example 20
         */
        PageLimit: number;
        /**
         * @description Whether the service has answered.
         * @enum {string}
         */
        PartState: "known" | "unavailable";
        /** @description A passkey of a member of staff. */
        Passkey: {
            /** @description When it was registered. */
            created_at: components["schemas"]["Timestamp"];
            last_used_at: components["schemas"]["Timestamp"] | null;
            /**
             * @description As the member named it.
             * @example Work laptop
             */
            name: string;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b
             */
            passkey_id: string;
        };
        /** @description What begins a ceremony. */
        PasskeyCeremony: {
            /**
             * @description What the ceremony ends with, within 5 minutes and once.
             * @example q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ
             */
            ceremony: string;
            /**
             * @description For the browser: PublicKeyCredentialCreationOptionsJSON or PublicKeyCredentialRequestOptionsJSON of WebAuthn.
             * @example {
             *       "challenge": "3q2-7w",
             *       "rpId": "console.example",
             *       "timeout": 300000,
             *       "userVerification": "required"
             *     }
             */
            options: {
                [key: string]: unknown;
            };
        };
        /** @description Logs in with a passkey. */
        PasskeyLoginRequest: {
            /**
             * @description Of the answer that began it.
             * @example q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ
             */
            ceremony: string;
            /**
             * @description What the browser answered: AuthenticationResponseJSON of WebAuthn.
             * @example {
             *       "id": "3q2-7w",
             *       "rawId": "3q2-7w",
             *       "response": {},
             *       "type": "public-key"
             *     }
             */
            credential: {
                [key: string]: unknown;
            };
            /**
             * @description Token of this device from an earlier answer. One that the account does not know counts as none.
             * @example 3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
             */
            device_token?: string | null;
        };
        /** @description The caller's passkeys. */
        Passkeys: {
            /** @description All of them, oldest first. */
            items: components["schemas"]["Passkey"][];
        };
        /** @description Records that the bank has paid a batch. */
        PayPaymentBatchRequest: {
            /**
             * @description The batch.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e63
             */
            id: string;
            /**
             * @description How it is known, 1 to 500 characters.
             * @example Bank confirmed order 4711
             */
            reason: string;
        };
        /** @description Withdrawals that the bank pays with one file. */
        PaymentBatch: {
            /**
             * Format: int32
             * @description Withdrawals in it.
             */
            count: number;
            decided_at: components["schemas"]["Timestamp"] | null;
            /** @description Who released or dissolved it. */
            decided_by: string | null;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e63
             */
            id: string;
            /** @description How its withdrawals leave. */
            method: components["schemas"]["WithdrawalMethod"];
            /**
             * Format: int32
             * @description Withdrawals in it that are paid.
             */
            paid_count: number;
            /** @description What the bank is to pay: amounts less fees. */
            payout: components["schemas"]["Money"];
            /** @description When. */
            proposed_at: components["schemas"]["Timestamp"];
            /** @description Who proposed it. */
            proposed_by: string;
            /** @description Why. */
            reason: string | null;
            /** @description Where it stands. */
            state: components["schemas"]["PaymentBatchState"];
        };
        /**
         * @description Decision about a proposed batch.
         * @enum {string}
         */
        PaymentBatchDecision: "released" | "dissolved";
        /** @description A page of a list. */
        PaymentBatchPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["PaymentBatch"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * @description Where a payment batch stands.
         * @enum {string}
         */
        PaymentBatchState: "proposed" | "released" | "paid" | "dissolved";
        /** @description A place where a network shows advertisements. */
        Placement: {
            /**
             * @description ISO 3166-1 alpha-2 codes; empty for everywhere.
             * @example [
             *       "AT",
             *       "DE"
             *     ]
             */
            countries: string[];
            /** @description When it was created. */
            created_at: components["schemas"]["Timestamp"];
            /**
             * @description Form, as the network calls it.
             * @example native
             */
            format: string;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42
             */
            id: string;
            /**
             * @description Display name, unique within the network.
             * @example Feed, top
             */
            name: string;
            /**
             * @description Its network.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e41
             */
            network_id: string;
            /**
             * @description Its network's name.
             * @example Network A
             */
            network_name: string;
            /** @description The price that holds now, if any, and those that were set for later, by `valid_from`. */
            prices: components["schemas"]["PlacementPrice"][];
            /** @description Whether plans are placed on it. */
            state: components["schemas"]["SupplyState"];
            /**
             * @description Operating systems; empty for all.
             * @example [
             *       "android",
             *       "ios"
             *     ]
             */
            systems: string[];
        };
        /**
         * @description What placing a product's plans aims at.
         * @enum {string}
         */
        PlacementGoal: "clicks" | "revenue";
        /** @description A page of a list. */
        PlacementPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["Placement"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description What a placement costs and earns from a time on. */
        PlacementPrice: {
            /** @description The member of staff who confirmed it. */
            confirmed_by: string | null;
            /** @description What it costs. */
            cost: components["schemas"]["FineMoney"];
            holds_from: components["schemas"]["Timestamp"] | null;
            /** @description What is paid for. */
            model: components["schemas"]["PriceModel"];
            /** @description What it earns. */
            revenue: components["schemas"]["FineMoney"];
            /** @description The member of staff who set it; null for adfolioctl. */
            set_by: string | null;
            /** @description Where it stands. */
            state: components["schemas"]["PriceState"];
            /** @description From when on it is meant to hold. */
            valid_from: components["schemas"]["Timestamp"];
        };
        /** @description Sets what a placement costs and earns from a time on. */
        PlacementPriceRequest: {
            /** @description What it costs: of a thousand impressions with at most three decimals, of a click with at most six. */
            cost: components["schemas"]["DecimalInput"];
            /** @description What is paid for. */
            model: components["schemas"]["PriceModel"];
            /**
             * @description The placement.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42
             */
            placement_id: string;
            /** @description What it earns, likewise. */
            revenue: components["schemas"]["DecimalInput"];
            /** @description From when on: not before now, and later than every price that was set before. To confirm a price: its `valid_from`. */
            valid_from: components["schemas"]["TimestampInput"];
        };
        /**
         * @description Why a placement gets what it gets of a plan.
         * @enum {string}
         */
        PlacementReason: "chosen" | "exploring" | "capped" | "full" | "held";
        /** @description A plan (ad order). */
        Plan: {
            /**
             * Format: int64
             * @description Clicks reported.
             * @example 83
             */
            clicks: number;
            /** @description Spend charged. */
            consumed: components["schemas"]["Money"];
            coupon: components["schemas"]["PlanCoupon"] | null;
            /** @description The coupon's part of the spend. */
            coupon_share: components["schemas"]["Money"];
            /** @description When it was placed or pushed. */
            create_time: components["schemas"]["Timestamp"];
            /** @description Part paid by a coupon. */
            discount_amount: components["schemas"]["Money"];
            end_time: components["schemas"]["Timestamp"] | null;
            /** @description Whether any value is estimated from an import's pricing. */
            estimated: boolean;
            expire_time: components["schemas"]["Timestamp"] | null;
            /** @description Why it failed. */
            fail_reason: string | null;
            finish_time: components["schemas"]["Timestamp"] | null;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32
             */
            id: string;
            /**
             * Format: int64
             * @description Impressions reported.
             * @example 12000
             */
            impressions: number;
            no_supply_since: components["schemas"]["Timestamp"] | null;
            /** @description Pushed by an operator. */
            official: boolean;
            /** @description The operator who pushed it. */
            operator_id: string | null;
            /** @description Part paid from the wallet. */
            paid_amount: components["schemas"]["Money"];
            /**
             * @description Number shown to users and used in delivery reports.
             * @example AD2611200042
             */
            plan_number: string;
            /** @description The advertised product. */
            product: components["schemas"]["PlanProduct"];
            /** @description Revenue less spend; may be negative. */
            profit: components["schemas"]["Money"];
            /** @description Budget: paid plus discount. */
            put_amount: components["schemas"]["Money"];
            /**
             * @description Advertising content, as text.
             * @example Fifteen-second video
             */
            put_content: string;
            /**
             * Format: int32
             * @description Share of the budget consumed, 0 to 100, rounded down.
             * @example 25
             */
            put_progress: number;
            /**
             * @description Delivery rule, as text.
             * @example Delivered evenly until the budget is consumed.
             */
            put_rule: string;
            put_time: components["schemas"]["Timestamp"] | null;
            /**
             * @description What the wallet gains: the revenue that is paid out, less the part of the spend that the wallet paid. Before the
             *     settlement, what it would gain now; may be negative.
             */
            result: components["schemas"]["Money"];
            /** @description Revenue reported. */
            revenue: components["schemas"]["Money"];
            settle_time: components["schemas"]["Timestamp"] | null;
            /**
             * @description Sources of its reports.
             * @example [
             *       "import"
             *     ]
             */
            sources: string[];
            /** @description Its state. */
            status: components["schemas"]["PlanStatus"];
            /** @description Budget not yet consumed, held by the wallet; zero once the plan has settled or failed. */
            to_be_consumed: components["schemas"]["Money"];
            /** @description Its audience. */
            user_targeting: components["schemas"]["Audience"];
        };
        /** @description Number of plans by status. */
        PlanCounts: {
            /**
             * Format: int64
             * @description Paid, waiting for the first delivery.
             */
            matching: number;
            /**
             * Format: int64
             * @description Failed.
             */
            put_failed: number;
            /**
             * Format: int64
             * @description Delivered.
             */
            put_finished: number;
            /**
             * Format: int64
             * @description Delivering.
             */
            putting: number;
            /**
             * Format: int64
             * @description Settled.
             */
            settled: number;
            /**
             * Format: int64
             * @description Waiting for the user's put.
             */
            waiting: number;
            /**
             * Format: int64
             * @description Waiting for settlement.
             */
            waiting_settlement: number;
        };
        /** @description The coupon of a plan. */
        PlanCoupon: {
            /**
             * @description The user's coupon.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e33
             */
            id: string;
            /**
             * @description Its name.
             * @example Welcome 10%
             */
            name: string;
        };
        /** @description A plan with its timeline, delivery and wallet entries. */
        PlanDetail: components["schemas"]["Plan"] & {
            /** @description How long a point of the series is. */
            bucket: components["schemas"]["SeriesStep"];
            /** @description The wallet entries of the plan, oldest first. */
            flow: components["schemas"]["FlowEntry"][];
            /** @description Its delivery by hour (up to three days) or day of the caller's time zone, oldest first. */
            series: components["schemas"]["SeriesPoint"][];
            /** @description Changes of its status, oldest first. */
            timeline: components["schemas"]["TimelineEntry"][];
        };
        /**
         * @description A figure that is a sum over plans.
         * @enum {string}
         */
        PlanFigure: "invested" | "delivery_orders" | "to_be_consumed" | "to_be_settled";
        /** @description How a plan keeps pace. */
        PlanPace: {
            /** @description How long a point is. */
            bucket: components["schemas"]["SeriesStep"];
            /**
             * @description From the put to the end of the window, by hour (up to three days) or day of the caller's time zone; empty if the
             *     plan is not paced.
             */
            series: components["schemas"]["PacePoint"][];
            /** @description How it stands now. */
            state: components["schemas"]["PaceState"];
        };
        /** @description A page of plans. */
        PlanPage: {
            /** @description Counts by status under the same push filter. */
            counts: components["schemas"]["PlanCounts"];
            /** @description The plans, newest first. */
            items: components["schemas"]["Plan"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            sum: components["schemas"]["FigureSum"] | null;
            totals: components["schemas"]["PlanTotals"] | null;
        };
        /** @description What a plan has shown on a placement. */
        PlanPlacement: {
            /**
             * Format: int64
             * @description Clicks.
             * @example 84
             */
            clicks: number;
            /** @description Clicks per impression. */
            ctr: components["schemas"]["Rate"];
            /** @description The upper end. */
            ctr_high: components["schemas"]["Rate"];
            /** @description The lower end of its 95 % interval (Wilson). */
            ctr_low: components["schemas"]["Rate"];
            /**
             * Format: int64
             * @description Impressions.
             * @example 12000
             */
            impressions: number;
            placement: components["schemas"]["ReportPlacement"] | null;
            reason: components["schemas"]["PlacementReason"] | null;
            share: components["schemas"]["Rate"] | null;
            /** @description Whether some of it was simulated. */
            simulated: boolean;
            /** @description Charged. */
            spend: components["schemas"]["Money"];
        };
        /** @description Where a plan was shown. */
        PlanPlacements: {
            /**
             * @description By spend, the largest first; then candidates of the newest round that have shown nothing yet; then what was
             *     reported without a placement.
             */
            items: components["schemas"]["PlanPlacement"][];
            /** @description How much is known. */
            learning: components["schemas"]["Learning"];
            reported_until: components["schemas"]["Timestamp"] | null;
        };
        /** @description The product of a plan. */
        PlanProduct: {
            /**
             * @description Its icon.
             * @example /media/puzzle-harbour.png
             */
            icon_url: string | null;
            /**
             * @description Its id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31
             */
            id: string;
            /**
             * @description Its name at the time of the put.
             * @example Puzzle Harbour
             */
            name: string;
        };
        /**
         * @description What a table of plans is sorted by.
         * @enum {string}
         */
        PlanSort: "create_time" | "put_amount" | "consumed" | "revenue" | "profit" | "impressions" | "clicks";
        /**
         * @description Status of a plan.
         * @enum {string}
         */
        PlanStatus: "waiting" | "matching" | "putting" | "put_failed" | "put_finished" | "waiting_settlement" | "settled";
        /** @description Totals of all rows of a table of plans. */
        PlanTotals: {
            /**
             * Format: int64
             * @description Their clicks.
             * @example 1800
             */
            clicks: number;
            /** @description Their spend. */
            consumed: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description How many.
             * @example 12
             */
            count: number;
            /**
             * Format: int64
             * @description Their impressions.
             * @example 125000
             */
            impressions: number;
            /** @description Revenue less spend; may be negative. */
            profit: components["schemas"]["Money"];
            /** @description Their budgets. */
            put_amount: components["schemas"]["Money"];
            /** @description Their revenue. */
            revenue: components["schemas"]["Money"];
        };
        /**
         * @description An account of the platform.
         * @enum {string}
         */
        PlatformAccount: "deposits_clearing" | "promotions" | "ad_spend" | "ad_revenue" | "profit_share" | "withdrawals_clearing" | "withdrawal_fees" | "chargebacks" | "membership" | "fx_clearing";
        /** @description The platform's accounts as the last proof of the books found them. */
        PlatformAccounts: {
            as_of: components["schemas"]["Timestamp"] | null;
            /** @description Every account; empty before the first proof. */
            items: components["schemas"]["PlatformBalance"][];
        };
        /** @description An account and its balance. */
        PlatformBalance: {
            /** @description The account. */
            account: components["schemas"]["PlatformAccount"];
            /** @description The sum of its entries: what users gained from it is negative. */
            balance: components["schemas"]["Money"];
        };
        /** @description What one transaction moved on an account. */
        PlatformEntry: {
            /** @description Signed change of the account. */
            amount: components["schemas"]["Money"];
            /** @description The plan, withdrawal or exchange order. */
            reference: string | null;
            /** @description Staff's remark. */
            remark: string | null;
            /** @description The member of staff who posted it. */
            staff_id: string | null;
            /** @description When it was posted. */
            time: components["schemas"]["Timestamp"];
            /**
             * @description The transaction.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31
             */
            transaction_id: string;
            /**
             * @description Its type, by the name that statements have.
             * @example deposit
             */
            type: string;
        };
        /** @description The figures of the range before. */
        PreviousFigures: {
            /**
             * Format: int64
             * @description Clicks in it.
             * @example 61
             */
            clicks: number;
            /** @description Spend charged for delivery in it. */
            consumed: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description Plans paid in it, without failed ones.
             * @example 2
             */
            delivery_orders: number;
            /** @description When it began. */
            from: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Impressions in it.
             * @example 9000
             */
            impressions: number;
            /** @description Put amounts of plans paid in it, without failed ones. */
            invested: components["schemas"]["Money"];
            /** @description Revenue less spend; may be negative. */
            profit: components["schemas"]["Money"];
            /** @description Revenue for delivery in it. */
            revenue: components["schemas"]["Money"];
            /** @description Until when its figures count, exclusive: as long after its beginning as it is now after that of the range. */
            to: components["schemas"]["Timestamp"];
        };
        /**
         * @description What is paid for.
         * @enum {string}
         */
        PriceModel: "cpm" | "cpc";
        /**
         * @description Where a price stands.
         * @enum {string}
         */
        PriceState: "proposed" | "confirmed";
        /** @description A product that can be advertised. */
        Product: {
            /** @description Audience of its advertisements. */
            audience: components["schemas"]["Audience"];
            /**
             * @description Displayed category.
             * @example Games
             */
            category: string;
            /** @description Advertising content it supports. */
            content_types: components["schemas"]["ContentType"][];
            /**
             * @description Wide picture.
             * @example /media/puzzle-harbour-cover.png
             */
            cover_url: string | null;
            /**
             * @description Description.
             * @example A calm puzzle game by the sea.
             */
            description: string;
            /**
             * @description Game description; may be empty.
             * @example Match tiles, repair the harbour.
             */
            game_description: string;
            /**
             * @description Square icon.
             * @example /media/puzzle-harbour.png
             */
            icon_url: string | null;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31
             */
            id: string;
            /**
             * @description Display name.
             * @example Puzzle Harbour
             */
            name: string;
            /** @description Maximum put amount. */
            put_max: components["schemas"]["Money"];
            /** @description Minimum put amount. */
            put_min: components["schemas"]["Money"];
        };
        /** @description A page of a list. */
        ProductPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["Product"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description The balances of a wallet. */
        Property: {
            /** @description Free to use. */
            available_funds: components["schemas"]["Money"];
            /**
             * @description The platform's currency, ISO 4217.
             * @example USD
             */
            currency: string;
            /** @description Total paid by coupons, less returns. */
            discount_amount: components["schemas"]["Money"];
            frozen_at: components["schemas"]["Timestamp"] | null;
            /** @description Held as the user's guarantee: neither free to use nor in plans. */
            guarantee: components["schemas"]["Money"];
            /** @description Start-up funds not yet returned. */
            start_up_funds_outstanding: components["schemas"]["Money"];
            /** @description Whether the caller may return start-up funds without customer service. */
            start_up_funds_returnable: boolean;
            /** @description Held by running plans, coupon parts included. */
            to_be_consumed: components["schemas"]["Money"];
            /** @description Earned, waiting for settlement. */
            to_be_settled: components["schemas"]["Money"];
            /** @description Sum of available, to be consumed, to be settled and withdrawing; without the guarantee. */
            total_assets: components["schemas"]["Money"];
            /**
             * @description Why a withdrawal of any amount would be refused now, in the order of the checks; empty if it would not.
             *     WALLET_FROZEN, START_UP_FUNDS_NOT_RETURNED and WITHDRAWAL_COOLING_OFF refuse an exchange of the wallet's money, too.
             */
            withdraw_blocked_by: components["schemas"]["Reason"][];
            withdrawal_available_at: components["schemas"]["Timestamp"] | null;
            /** @description Being withdrawn. */
            withdrawing: components["schemas"]["Money"];
        };
        /** @description Proposes a batch. */
        ProposePaymentBatchRequest: {
            /**
             * @description Why, at most 500 characters.
             * @example Payments of 28 November
             */
            reason?: string | null;
            /** @description Pending withdrawals of one method. */
            withdrawal_ids: string[];
        };
        /** @description A notification that is published or scheduled. */
        PublishedNotification: {
            /**
             * @description Its id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e36
             */
            id: string;
            /**
             * Format: int64
             * @description Number of recipients; 0 for all users.
             * @example 1
             */
            recipients: number;
            /** @description Whether it is published or scheduled. */
            state: components["schemas"]["AnnouncementState"];
        };
        /** @description A browser by its address. */
        PushEndpoint: {
            /**
             * @description Its address at its push service.
             * @example https://fcm.googleapis.com/fcm/send/dQw4w9WgXcQ
             */
            endpoint: string;
        };
        /**
         * @description Filter by who proposed a plan.
         * @enum {string}
         */
        PushFilter: "all" | "official" | "non_official";
        /** @description The key of push messages. */
        PushKey: {
            /**
             * @description `applicationServerKey` of a subscription, in unpadded base64url; null where push is off.
             * @example BLn9b-VR0ca83knDNZ32dCHGyjJp-1riX9ZTN40MqV8K_LpQmLqxC_DoHvqvFXO_nGdAB4W9dogZb_sM-uV4JbY
             */
            public_key: string | null;
        };
        /** @description Pushes a plan to users, where it waits for their put. */
        PushPlanRequest: {
            /** @description Proposed amount, within the product's range. */
            amount: components["schemas"]["MoneyInput"];
            /**
             * @description The product.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31
             */
            product_id: string;
            /**
             * @description Advertising content, as text.
             * @example Fifteen-second video
             */
            put_content: string;
            /**
             * @description Delivery rule, as text.
             * @example Delivered evenly until the budget is consumed.
             */
            put_rule: string;
            /** @description To whom. */
            to: components["schemas"]["PushTarget"];
            user_targeting?: components["schemas"]["Audience"] | null;
        };
        /** @description A browser to send push messages to, as its `PushSubscription` describes itself. */
        PushSubscription: {
            /**
             * @description Its authentication secret in base64url.
             * @example _ordMnz7uTCmrpBTeUV4Bw
             */
            auth: string;
            /**
             * @description Where its push service takes messages. Who knows it may send to the browser.
             * @example https://fcm.googleapis.com/fcm/send/dQw4w9WgXcQ
             */
            endpoint: string;
            /**
             * @description Its public key in base64url.
             * @example BLn9b-VR0ca83knDNZ32dCHGyjJp-1riX9ZTN40MqV8K_LpQmLqxC_DoHvqvFXO_nGdAB4W9dogZb_sM-uV4JbY
             */
            p256dh: string;
        };
        /**
         * @description Recipients of a pushed plan: users (`user_ids`), an operator's followers (`operator_id`), or users on behalf of an
         *     operator (both).
         */
        PushTarget: {
            /** @description The operator whose followers get it, or on whose behalf the users get it. */
            operator_id?: string | null;
            /**
             * @description Users, 1 to 500.
             * @example [
             *       "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
             *     ]
             */
            user_ids?: string[] | null;
        };
        /** @description A pushed plan. */
        PushedPlan: {
            /**
             * @description The plan.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32
             */
            plan_id: string;
            /**
             * @description To whom.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            user_id: string;
        };
        /** @description The pushed plans. */
        PushedPlans: {
            /** @description One per user. */
            items: components["schemas"]["PushedPlan"][];
        };
        /** @description Puts money into a product (`product_id`) or into a waiting pushed plan (`plan_id`): exactly one of them. */
        PutRequest: {
            /** @description Budget before a coupon that adds to it, within the product's range. */
            amount: components["schemas"]["MoneyInput"];
            /** @description A pushed plan that is waiting for its put. */
            plan_id?: string | null;
            /**
             * @description A product.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31
             */
            product_id?: string | null;
            /** @description The caller's coupon to apply. */
            user_coupon_id?: string | null;
        };
        /** @description A rule of the gate that a report breaks. */
        QuarantineFinding: {
            /**
             * @description The figures behind it, in English.
             * @example 260 clicks of 1000 impressions are 26.000 %; history and peers let expect 0.900 %
             */
            detail: string;
            /**
             * Format: double
             * @description What it was compared with.
             * @example 0.0005
             */
            limit: number;
            /**
             * @description The rule's name, which never changes.
             * @example click_rate
             */
            rule: string;
            /**
             * Format: double
             * @description What was measured.
             * @example 0.000002
             */
            value: number;
            /**
             * Format: int32
             * @description The rule's version.
             * @example 1
             */
            version: number;
        };
        /**
         * @description State of a report that the gate holds back.
         * @enum {string}
         */
        QuarantineState: "waiting" | "approved" | "released" | "rejected";
        /** @description A delivery report that the gate holds back. It neither posts nor teaches before staff release it. */
        QuarantinedReport: {
            /** @description Who released it first, where that takes two; null before that. */
            approved_by: string | null;
            /** @description When it came. */
            at: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Clicks.
             * @example 260
             */
            clicks: number;
            decided_at: components["schemas"]["Timestamp"] | null;
            /** @description Who decided; null before that. */
            decided_by: string | null;
            /** @description The rules that it breaks. */
            findings: components["schemas"]["QuarantineFinding"][];
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e51
             */
            id: string;
            /**
             * @description The import that brought it; null if a network sent it.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e50
             */
            import_id: string | null;
            /**
             * Format: int64
             * @description Impressions.
             * @example 1000
             */
            impressions: number;
            /**
             * Format: int64
             * @description Its line in the file, or its place in what the network sent.
             * @example 17
             */
            line: number;
            /**
             * @description What became of a released one: `applied`, `restated`, `repeated`, or why it could not be taken any more. Null before
             *     that.
             */
            outcome: string | null;
            /**
             * @description The placement as the source names it; null if it names none.
             * @example Feed, top
             */
            placement: string | null;
            /**
             * @description The plan.
             * @example AD2611200042
             */
            plan_number: string;
            /** @description Why. */
            reason: string;
            /**
             * @description Identifies it within its source.
             * @example 2026-11-20-0017
             */
            report_id: string;
            /** @description What it earned. */
            revenue: components["schemas"]["FineMoney"];
            /**
             * Format: int64
             * @description Which restatement it is.
             * @example 1
             */
            revision: number;
            /**
             * @description Who reports.
             * @example network-a
             */
            source: string;
            /** @description What it cost. */
            spend: components["schemas"]["FineMoney"];
            /** @description Its state. */
            state: components["schemas"]["QuarantineState"];
            /** @description When it was delivered. */
            time: components["schemas"]["Timestamp"];
        };
        /** @description A page of a list. */
        QuarantinedReportPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["QuarantinedReport"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * Format: double
         * @description A rate or share: a number from 0 to 1 with up to six decimals.
         * @example 0.0125
         */
        Rate: number;
        /**
         * @description Filter by read state.
         * @enum {string}
         */
        ReadFilter: "all" | "unread" | "read";
        /**
         * @description Why a call was refused. The names are stable.
         * @example VALIDATION
         * @enum {string}
         */
        Reason: "VALIDATION" | "IDEMPOTENCY_KEY_REUSED" | "NOT_AUTHENTICATED" | "FORBIDDEN" | "APPROVAL_REQUIRED" | "ACCOUNT_NOT_ACTIVATED" | "ACCOUNT_DISABLED" | "ACCOUNT_CANCELLED" | "NOT_FOUND" | "TOO_MANY_ATTEMPTS" | "INTERNAL" | "UNAVAILABLE" | "CHANGES_PAUSED" | "SESSION_EXPIRED" | "USERNAME_TAKEN" | "BAD_CREDENTIALS" | "PASSWORD_MISMATCH" | "PASSWORD_UNCHANGED" | "WRONG_PASSWORD" | "LICENSE_NOT_FOUND" | "LICENSE_USED" | "STORE_ALREADY_OPEN" | "PAY_PASSWORD_NOT_SET" | "WRONG_PAY_PASSWORD" | "WEAK_PAY_PASSWORD" | "PAY_PASSWORD_LOCKED" | "INSUFFICIENT_BALANCE" | "AMOUNT_OUT_OF_RANGE" | "START_UP_FUNDS_NOT_RETURNED" | "BANK_CARD_NOT_BOUND" | "WITHDRAWAL_COOLING_OFF" | "DAY_LIMIT_REACHED" | "WALLET_FROZEN" | "PASSWORD_CHANGE_REQUIRED" | "SECOND_FACTOR_REQUIRED" | "STEP_UP_REQUIRED" | "ASSERTION_REJECTED" | "EMAIL_CODE_INVALID" | "DISOWN_LINK_INVALID" | "NOTHING_CHANGED" | "CHANGED_MEANWHILE" | "PLAN_NOT_PUTTABLE" | "COUPON_NOT_USABLE" | "COUPON_BELOW_REQUIREMENT" | "COUPON_ALREADY_CLAIMED" | "COUPON_NAME_CLAIMED_TODAY" | "FOLLOW_ID_ERROR" | "FOLLOW_ID_CURRENT" | "ACCEPTANCE_CODE_ERROR" | "EXCHANGE_LIMIT" | "EXCHANGE_OPEN" | "FILE_TOO_LARGE" | "FILE_NOT_IMAGE";
        /** @description Claims a coupon. */
        ReceiveCouponRequest: {
            /**
             * @description The campaign; the new-user coupon if absent.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e35
             */
            campaign_id?: string | null;
        };
        /** @description Recipients of a notification: `"all"` or a list of user ids. */
        Recipients: components["schemas"]["Everybody"] | string[];
        /** @description A check of the ledger. */
        ReconcileCheck: {
            /**
             * @description Finding, in English.
             * @example every transaction's entries sum to zero
             */
            detail: string;
            /**
             * Format: int64
             * @description A value that must be zero.
             * @example 0
             */
            figure: number;
            /**
             * @description Stable name.
             * @example entries_sum_to_zero
             */
            name: string;
            /**
             * @description Whether the check passes.
             * @example true
             */
            ok: boolean;
        };
        /** @description The result of all checks of the ledger. */
        Reconciliation: {
            /** @description The checks. */
            checks: components["schemas"]["ReconcileCheck"][];
            /**
             * @description Whether all checks pass.
             * @example true
             */
            ok: boolean;
        };
        /** @description Registers a passkey. */
        RegisterPasskeyRequest: {
            /**
             * @description Of the answer that began it.
             * @example q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ
             */
            ceremony: string;
            /**
             * @description What the browser answered: RegistrationResponseJSON of WebAuthn.
             * @example {
             *       "id": "3q2-7w",
             *       "rawId": "3q2-7w",
             *       "response": {},
             *       "type": "public-key"
             *     }
             */
            credential: {
                [key: string]: unknown;
            };
            /**
             * @description How the member tells it from others: 1 to 64 characters.
             * @example Work laptop
             */
            name: string;
        };
        /** @description Creates an account. */
        RegisterRequest: {
            /**
             * @description The same password again; `confirmPassword` is accepted too.
             * @example correct horse battery
             */
            confirm_password: string;
            /**
             * @description E-mail address.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description Authorisation code; `license_key` is accepted too.
             * @example DEMO-LICENSE-0001
             */
            licenseKey: string;
            /**
             * @description Display name; the user name if absent.
             * @example Ada
             */
            nickname?: string | null;
            /**
             * @description Password, 8 to 128 characters; no common one, and not made of the names.
             * @example correct horse battery
             */
            password: string;
            /**
             * @description Phone number.
             * @example +4915112345678
             */
            phone: string;
            /**
             * @description Login name.
             * @example ada.lovelace
             */
            username: string;
        };
        /** @description A row of an import that was not taken. */
        RejectedRow: {
            /**
             * Format: int64
             * @description Line of the file, from 1, the CSV header included.
             * @example 17
             */
            line: number;
            /**
             * @description Why not, in English.
             * @example unknown plan number
             */
            reason: string;
        };
        /** @description Removes a passkey. */
        RemovePasskeyRequest: {
            /**
             * @description One of the caller's.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b
             */
            passkey_id: string;
        };
        /**
         * @description How reports arrive.
         * @enum {string}
         */
        ReportChannel: "file" | "network";
        /** @description A page of reports, and what all of them sum to. */
        ReportPage: {
            /** @description The reports, newest first. */
            items: components["schemas"]["DeliveryReport"][];
            /** @description Cursor of the next page; null on the last one. */
            next_cursor: string | null;
            /** @description The plan's figures. */
            totals: components["schemas"]["ReportTotals"];
        };
        /** @description Where something was delivered. */
        ReportPlacement: {
            /**
             * @description The placement.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42
             */
            id: string;
            /**
             * @description Its name.
             * @example Feed, top
             */
            name: string;
        };
        /** @description A registered source of delivery reports. */
        ReportSource: {
            /** @description How it may report. */
            channels: components["schemas"]["ReportChannel"][];
            /** @description Its keys, oldest first. While one of them is valid, every file must be signed. */
            keys: components["schemas"]["ReportSourceKey"][];
            /**
             * @description Its name, as reports say it.
             * @example network-a
             */
            source: string;
        };
        /** @description A key with which a source signs its files. */
        ReportSourceKey: {
            /** @description When it was added. */
            added_at: components["schemas"]["Timestamp"];
            /**
             * @description Its RFC 7638 thumbprint.
             * @example kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
             */
            kid: string;
            revoked_at: components["schemas"]["Timestamp"] | null;
        };
        /** @description All registered sources. */
        ReportSourceList: {
            /** @description By name. */
            items: components["schemas"]["ReportSource"][];
        };
        /** @description What the reports of a plan sum to: the plan's own figures. */
        ReportTotals: {
            /**
             * Format: int64
             * @description Clicks.
             */
            clicks: number;
            /**
             * Format: int64
             * @description Impressions.
             */
            impressions: number;
            /** @description Spend as reported: more than `spend` after over-delivery, which is not charged. */
            reported: components["schemas"]["Money"];
            /** @description Revenue. */
            revenue: components["schemas"]["Money"];
            /** @description Spend charged, the plan's `consumed`. */
            spend: components["schemas"]["Money"];
        };
        /** @description Until when a source has reported. */
        ReportedUntil: {
            /**
             * @description The source.
             * @example adnet
             */
            source: string;
            /** @description The latest time of its reports. */
            time: components["schemas"]["Timestamp"];
        };
        /** @description Removes a user's transaction password and its lock. */
        ResetPayPasswordRequest: {
            /**
             * @description Why.
             * @example Forgotten; identity checked by phone
             */
            reason?: string | null;
            /**
             * @description The user.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            user_id: string;
        };
        /** @description Removes the second factor of another member; every session of the member ends. */
        ResetSecondFactorRequest: {
            /**
             * @description Why; stored in the audit log.
             * @example lost the phone
             */
            reason: string;
            /**
             * @description The member; not oneself.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39
             */
            staff_id: string;
        };
        /** @description Makes what an old version left the texts again, as a new version. */
        RestoreContentRequest: {
            /**
             * Format: int64
             * @description The version that stands; whichever does if absent.
             * @example 7
             */
            current?: number | null;
            /**
             * @description The parts to restore, by the names that versions have; all if absent.
             * @example [
             *       "faq"
             *     ]
             */
            parts?: string[] | null;
            /**
             * @description Why, 1 to 500 characters; visible to staff only.
             * @example The new answers were wrong
             */
            reason: string;
            /**
             * Format: int64
             * @description The version to restore.
             * @example 6
             */
            version: number;
        };
        /** @description Returns start-up funds. */
        ReturnStartUpFundsRequest: {
            /** @description How much, at most what is outstanding. */
            amount: components["schemas"]["MoneyInput"];
        };
        /** @description Revokes a key of a host; sessions that were opened with it end. */
        RevokeHostKeyRequest: {
            /**
             * @description The key.
             * @example kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
             */
            kid: string;
            /**
             * @description Why; stored in the audit log.
             * @example rotation
             */
            reason?: string | null;
        };
        /** @description Revokes a key of a source. */
        RevokeReportSourceKeyRequest: {
            /**
             * @description The key.
             * @example kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
             */
            kid: string;
            /**
             * @description Why; stored in the audit log.
             * @example rotation
             */
            reason?: string | null;
        };
        /**
         * @description The rule that an input breaks. The names are stable.
         * @example too_short
         * @enum {string}
         */
        Rule: "too_short" | "too_long" | "blank" | "common" | "like_name" | "form" | "mixed_scripts" | "unnamed_limit";
        /** @description Registers a source, or changes how it may report. */
        SaveReportSourceRequest: {
            /** @description How it may report; at least one. */
            channels: components["schemas"]["ReportChannel"][];
            /**
             * @description Why; stored in the audit log.
             * @example sends one file a day
             */
            reason?: string | null;
            /**
             * @description Its name: 1 to 64 characters from a-z, 0-9, '-' and '_'.
             * @example network-a
             */
            source: string;
        };
        /** @description A second factor to set up. A first code activates it. */
        SecondFactor: {
            /**
             * @description The same as an address that apps read; returned only here.
             * @example otpauth://totp/Adfolio:olivia?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Adfolio
             */
            otpauth_uri: string;
            /**
             * @description Ten codes that replace the app once each; returned only here.
             * @example [
             *       "3f9a1-0c7be-52d48-e61f0"
             *     ]
             */
            recovery_codes: string[];
            /**
             * @description The secret in base32, for an authenticator app (RFC 6238: SHA-1, 6 digits, 30 seconds); returned only here.
             * @example GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ
             */
            secret: string;
        };
        /** @description An entry of the security log of the caller's account. */
        SecurityEntry: {
            /**
             * @description The action. More actions may be added.
             * @example wallet.deposit
             */
            action: string;
            amount: components["schemas"]["Money"] | null;
            /** @description Who performed it. */
            by: components["schemas"]["Actor"];
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e43
             */
            id: string;
            /**
             * @description Why, as staff wrote it; null of the caller's own actions.
             * @example Statement of May, page 3
             */
            reason: string | null;
            /** @description When. */
            time: components["schemas"]["Timestamp"];
        };
        /** @description A page of a list. */
        SecurityEntryPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["SecurityEntry"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description Delivery in one period. */
        SeriesPoint: {
            /**
             * Format: int64
             * @description Clicks in this period.
             * @example 8
             */
            clicks: number;
            /** @description Spend charged in this period. */
            consumed: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description Impressions in this period.
             * @example 1200
             */
            impressions: number;
            /** @description Revenue in this period. */
            revenue: components["schemas"]["Money"];
            /** @description When the period begins. */
            time: components["schemas"]["Timestamp"];
        };
        /**
         * @description How long a point of a series is.
         * @enum {string}
         */
        SeriesStep: "hour" | "day" | "month";
        /** @description A customer-service entry. */
        ServiceEntry: {
            /**
             * @description How soon somebody answers; empty if staff have not said.
             * @example Usually within an hour
             */
            answer_time: string;
            /**
             * @description When somebody answers; empty if staff have not said.
             * @example Monday to Friday, 9:00–18:00 CET
             */
            hours: string;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e30
             */
            id: string;
            /**
             * @description Its label in the caller's language.
             * @example Live chat
             */
            label: string;
            /**
             * Format: int32
             * @description 1 for a page inside the app; any other number opens outside of it.
             * @example 1
             */
            type: number;
            /**
             * @description Its address. Clients fill in `{username}`, `{user_id}`, `{subject}` and `{lang}` in its query and its
             *     fragment, percent-encoded and empty for what they do not know. An address without any of them gets
             *     the query parameters `name` and `subject`.
             * @example https://support.example.com/chat?name={username}
             */
            url: string;
        };
        /** @description A customer-service entry in every language. */
        ServiceEntryContent: {
            /**
             * @description How soon somebody answers, by language; empty if staff have not said.
             * @example {
             *       "en": "Usually within an hour"
             *     }
             */
            answer_time: {
                [key: string]: string;
            };
            /**
             * @description When somebody answers, by language; empty if staff have not said.
             * @example {
             *       "en": "Monday to Friday, 9:00–18:00 CET"
             *     }
             */
            hours: {
                [key: string]: string;
            };
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e30
             */
            id: string;
            /**
             * @description Its label by language.
             * @example {
             *       "en": "Live chat"
             *     }
             */
            label: {
                [key: string]: string;
            };
            /**
             * Format: int32
             * @description 1 for a page inside the app; any other number opens outside of it.
             * @example 1
             */
            type: number;
            /**
             * @description Its address. Clients fill in `{username}`, `{user_id}`, `{subject}` and `{lang}` in its query and its
             *     fragment, percent-encoded and empty for what they do not know. An address without any of them gets
             *     the query parameters `name` and `subject`.
             * @example https://support.example.com/chat?name={username}
             */
            url: string;
        };
        /** @description A customer-service entry in every language, as staff edit it. */
        ServiceEntryContentInput: {
            /**
             * @description How soon somebody answers, by language; empty or absent shows none, otherwise `en` is required.
             * @example {
             *       "en": "Usually within an hour"
             *     }
             */
            answer_time?: {
                [key: string]: string;
            };
            /**
             * @description When somebody answers, by language; empty or absent shows none, otherwise `en` is required.
             * @example {
             *       "en": "Monday to Friday, 9:00–18:00 CET"
             *     }
             */
            hours?: {
                [key: string]: string;
            };
            /** @description Opaque id; assigned if absent. */
            id?: string | null;
            /**
             * @description Its label by language; `en` is required.
             * @example {
             *       "en": "Live chat"
             *     }
             */
            label: {
                [key: string]: string;
            };
            /**
             * Format: int32
             * @description 1 for a page inside the app; any other number opens outside of it.
             * @example 1
             */
            type: number;
            /**
             * @description Its address; https only. Its query and its fragment may have the placeholders `{username}`, `{user_id}`,
             *     `{subject}` and `{lang}`, which clients fill in.
             * @example https://support.example.com/chat?name={username}
             */
            url: string;
        };
        /** @description A new session. */
        Session: {
            /**
             * @description Token of this device, to be kept beyond the session and sent at later logins: then failures of others do not
             *     lock this device out. It opens nothing by itself. Null where the session follows another one.
             * @example 3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
             */
            device_token: string | null;
            /** @description When it expires if not used. */
            expires_at: components["schemas"]["Timestamp"];
            /**
             * @description The token for `X-CT`; returned only here.
             * @example q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA
             */
            token: string;
            /** @description Its owner. */
            user: components["schemas"]["UserInfo"];
        };
        /** @description An active session of a user. */
        SessionSummary: {
            /** @description When it was opened. */
            created_at: components["schemas"]["Timestamp"];
            /** @description When it expires if not used. */
            expires_at: components["schemas"]["Timestamp"];
            /**
             * @description Its id; not the token.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3a
             */
            id: string;
            /** @description When it was last used, to the minute. */
            last_seen_at: components["schemas"]["Timestamp"];
        };
        /** @description Sets a line aside, or takes that back. */
        SetBankLineAsideRequest: {
            /** @description Whether it shall be aside. */
            aside: boolean;
            /**
             * @description The line.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e62
             */
            id: string;
            /**
             * @description Why, 1 to 500 characters.
             * @example Interest of the bank
             */
            reason: string;
        };
        /** @description Sets or changes the transaction password. Every password is the MD5 of its 6 digits, in hex. */
        SetPayPasswordRequest: {
            /**
             * @description The new password again; `confirmPassword` is accepted too.
             * @example 5f4dcc3b5aa765d61d8327deb882cf99
             */
            confirm_password: string;
            /** @description The current password; only if one is set. */
            old_password?: string | null;
            /**
             * @description The new password.
             * @example 5f4dcc3b5aa765d61d8327deb882cf99
             */
            password: string;
        };
        /** @description What of the figures of a range is simulated. */
        SimulatedShare: {
            /**
             * Format: int64
             * @description Of the clicks.
             */
            clicks: number;
            /**
             * Format: int64
             * @description Of the impressions.
             */
            impressions: number;
            /** @description Of the revenue. */
            revenue: components["schemas"]["Money"];
            /** @description Of the spend. */
            spend: components["schemas"]["Money"];
        };
        /**
         * @description Which way a table is sorted.
         * @enum {string}
         */
        SortOrder: "asc" | "desc";
        /** @description How long a source of delivery reports is silent. */
        SourceSilence: {
            reported_at: components["schemas"]["Timestamp"] | null;
            /**
             * @description Its name.
             * @example network-a
             */
            source: string;
        };
        /** @description Sources of delivery reports. */
        Sources: {
            /** @description Registered sources and those of active networks, the longest silent first; at most 100. */
            items: components["schemas"]["SourceSilence"][];
            /** @description Whether there are more. */
            more: boolean;
            /** @description Whether plan has answered. */
            state: components["schemas"]["PartState"];
        };
        /** @description A member of staff. */
        Staff: {
            /** @description Who confirmed that another person than its maker holds the account. */
            confirmed_by: string | null;
            /** @description Whether a second factor is active: an authenticator app or a passkey. */
            has_second_factor: boolean;
            /** @description Whether an authenticator app is active. */
            has_totp: boolean;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39
             */
            id: string;
            /** @description Who made the account; null for a founder. */
            made_by: string | null;
            /** @description Whether the member has a one-time password: a session may then only change it or log out. */
            must_change_password: boolean;
            /**
             * Format: int32
             * @description Number of passkeys.
             * @example 1
             */
            passkeys: number;
            /** @description Role of the member. */
            role: components["schemas"]["StaffRole"];
            /** @description State of the account. */
            state: components["schemas"]["StaffState"];
            /**
             * @description Login name.
             * @example admin
             */
            username: string;
        };
        /** @description A line of an account statement. */
        StaffBankLine: components["schemas"]["BankLine"] & {
            matched_user: components["schemas"]["UserName"] | null;
            user: components["schemas"]["UserName"] | null;
        };
        /** @description A page of a list. */
        StaffBankLinePage: {
            /** @description The items, newest first. */
            items: components["schemas"]["StaffBankLine"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description An exchange order with its user. */
        StaffExchangeOrder: components["schemas"]["ExchangeOrder"] & {
            completion_request: components["schemas"]["CompletionRequest"] | null;
            /** @description Its user. */
            user: components["schemas"]["UserName"];
        };
        /** @description A page of a list. */
        StaffExchangeOrderPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["StaffExchangeOrder"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description Opens a staff session. */
        StaffLoginRequest: {
            /**
             * @description A code of the second factor or a recovery code, where a second factor is active.
             * @example 287082
             */
            code?: string | null;
            /**
             * @description Token of this device from an earlier answer. One that the account does not know counts as none.
             * @example 3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
             */
            device_token?: string | null;
            /**
             * @description Password.
             * @example adfolio-admin
             */
            password: string;
            /**
             * @description Login name, case-insensitive.
             * @example admin
             */
            username: string;
        };
        /** @description A member of staff by name. */
        StaffName: {
            /**
             * @description The member.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39
             */
            id: string;
            /**
             * @description Login name.
             * @example admin
             */
            username: string;
        };
        /** @description The member whose password was changed. */
        StaffPassword: components["schemas"]["Staff"] & {
            /** @description The one-time password of another member; returned only here. The member must change it after the next login. */
            one_time_password: string | null;
        };
        /**
         * @description Changes one's own password with `old_password` and `new_password`, or asks for a one-time password of another member
         *     with `staff_id` and `reason`. Every session of the member ends.
         */
        StaffPasswordRequest: {
            /**
             * @description The new password, 8 to 128 characters; no common one, and not made of the name.
             * @example an even longer staple
             */
            new_password?: string | null;
            /**
             * @description The current password.
             * @example correct horse battery
             */
            old_password?: string | null;
            /** @description Why; stored in the audit log. Required with `staff_id`. */
            reason?: string | null;
            /** @description Another member, by an admin. */
            staff_id?: string | null;
        };
        /** @description A plan with its user. */
        StaffPlan: components["schemas"]["Plan"] & {
            /** @description Its user. */
            user: components["schemas"]["UserName"];
        };
        /** @description The details of a plan, and its user. */
        StaffPlanDetail: components["schemas"]["PlanDetail"] & {
            /** @description Its user. */
            user: components["schemas"]["UserName"];
        };
        /** @description A page of a list. */
        StaffPlanPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["StaffPlan"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description An entry with its user. */
        StaffPlatformEntry: components["schemas"]["PlatformEntry"] & {
            /** @description The user whose wallet the transaction belongs to. */
            user: components["schemas"]["UserName"];
        };
        /** @description A page of a list. */
        StaffPlatformEntryPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["StaffPlatformEntry"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description A product with its limits of revenue and how its plans are placed, for staff. */
        StaffProduct: components["schemas"]["Product"] & {
            /** @description What its advertisement shows. */
            creative: components["schemas"]["Creative"];
            /** @description What placing its plans aims at. */
            goal: components["schemas"]["PlacementGoal"];
            /** @description Placements that its plans may use; empty for all. */
            placements: string[];
            /**
             * Format: int32
             * @description Highest revenue of a plan that needs no second look, in percent of its spend.
             * @example 1000
             */
            return_max_percent: number;
            /** @description The same of a thousand impressions. */
            revenue_per_thousand_max: components["schemas"]["Money"];
        };
        /** @description A page of a list. */
        StaffProductPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["StaffProduct"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * @description Role of a member of staff.
         * @enum {string}
         */
        StaffRole: "admin" | "support" | "finance" | "operator";
        /** @description Changes the role of a staff account; every session of the member ends. */
        StaffRoleRequest: {
            /**
             * @description Why; stored in the audit log.
             * @example moved to finance
             */
            reason: string;
            /** @description The new role. The last active admin stays one. */
            role: components["schemas"]["StaffRole"];
            /**
             * @description The member; not oneself.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39
             */
            staff_id: string;
        };
        /** @description A new staff session. */
        StaffSession: {
            /**
             * @description Token of this device, to be kept beyond the session and sent at later logins: then failures of others do not
             *     lock this device out. It opens nothing by itself.
             * @example 3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
             */
            device_token: string | null;
            /** @description Its owner. */
            staff: components["schemas"]["Staff"];
            /**
             * @description The token for `X-CT`; returned only here.
             * @example q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA
             */
            token: string;
        };
        /**
         * @description State of a staff account.
         * @enum {string}
         */
        StaffState: "active" | "disabled";
        /** @description Changes the state of a staff account; every session of the member ends. */
        StaffStateRequest: {
            /**
             * @description Why; stored in the audit log.
             * @example left the company
             */
            reason: string;
            /**
             * @description The member; not oneself.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39
             */
            staff_id: string;
            /** @description The new state. The last active admin stays active. */
            state: components["schemas"]["StaffState"];
        };
        /** @description A withdrawal with its user. */
        StaffWithdrawal: components["schemas"]["Withdrawal"] & {
            /** @description The payment batch that decides about it. */
            payment_batch_id: string | null;
            /** @description Who asked to take it out of a released batch, which another member of staff must confirm. */
            take_out_asked_by: string | null;
            /** @description Its user. */
            user: components["schemas"]["UserName"];
        };
        /** @description A page of a list. */
        StaffWithdrawalPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["StaffWithdrawal"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * @description Action on start-up funds.
         * @enum {string}
         */
        StartUpFundsAction: "grant" | "return";
        /** @description Grants start-up funds, or marks them as returned. */
        StartUpFundsRequest: {
            /** @description The direction. */
            action: components["schemas"]["StartUpFundsAction"];
            /** @description Amount. */
            amount: components["schemas"]["MoneyInput"];
            /**
             * @description Owner of the wallet.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            user_id: string;
        };
        /** @description The statistics of a range. */
        Statistics: {
            /** @description How long the points of the series are. */
            bucket: components["schemas"]["SeriesStep"];
            /**
             * Format: int64
             * @description Clicks in the range.
             * @example 83
             */
            clicks: number;
            /** @description Spend charged for delivery in the range. */
            consumed: components["schemas"]["Money"];
            /**
             * @description Spend per click, money with two decimals; null without clicks.
             * @example 1.51
             */
            cpc: string | null;
            /**
             * @description Clicks per impression, a ratio with four decimals (`"0.0069"` is 0.69 %); null without impressions.
             * @example 0.0069
             */
            ctr: string | null;
            /**
             * Format: int64
             * @description Plans paid in the range, without failed ones.
             * @example 3
             */
            delivery_orders: number;
            /** @description What of spend and revenue is estimated from an import's pricing. */
            estimated: components["schemas"]["EstimatedShare"];
            /** @description When the range begins. */
            from: components["schemas"]["Timestamp"];
            /**
             * Format: int64
             * @description Impressions in the range.
             * @example 12000
             */
            impressions: number;
            /** @description Put amounts of plans paid in the range, without failed ones. */
            invested: components["schemas"]["Money"];
            previous: components["schemas"]["PreviousFigures"] | null;
            /** @description Revenue less spend; may be negative. */
            profit: components["schemas"]["Money"];
            /** @description Until when each source has reported about the caller's plans, the latest first. */
            reported_until: components["schemas"]["ReportedUntil"][];
            /** @description Revenue for delivery in the range. */
            revenue: components["schemas"]["Money"];
            /**
             * @description Revenue per spend, a ratio with four decimals (`"1.1240"`); null without spend.
             * @example 1.1240
             */
            roas: string | null;
            /** @description Values by hour (today), month (all) or day (every other range) in the time zone, oldest first. */
            series: components["schemas"]["SeriesPoint"][];
            /** @description What is simulated. */
            simulated: components["schemas"]["SimulatedShare"];
            /** @description When it ends, exclusive. */
            to: components["schemas"]["Timestamp"];
            /**
             * @description Budget not yet consumed of plans that are neither settled nor failed, now; the same in every range, and the
             *     wallet's figure.
             */
            to_be_consumed: components["schemas"]["Money"];
            /** @description The range. */
            type: components["schemas"]["StatisticsType"];
        };
        /**
         * @description 1 today, 2 this week (Monday first), 3 this month, 4 all, 5 the last 7 days, 6 the last 30 days; both with today.
         * @example 1
         * @enum {integer}
         */
        StatisticsType: 1 | 2 | 3 | 4 | 5 | 6;
        /** @description Makes the session fresh. */
        StepUpRequest: {
            /**
             * @description The login password.
             * @example correct horse battery
             */
            password: string;
        };
        /**
         * @description Whether plans are placed on a network or a placement.
         * @enum {string}
         */
        SupplyState: "active" | "paused";
        /** @description Takes a withdrawal out of its batch. */
        TakeOutRequest: {
            /**
             * @description The withdrawal.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3e
             */
            id: string;
            /**
             * @description Why, 1 to 500 characters.
             * @example The bank returned it: account closed
             */
            reason: string;
        };
        /** @description A change of a plan's status. */
        TimelineEntry: {
            /** @description Why. */
            reason: string | null;
            /** @description The new status. */
            status: components["schemas"]["PlanStatus"];
            /** @description When. */
            time: components["schemas"]["Timestamp"];
        };
        /**
         * Format: date-time
         * @description RFC 3339 in UTC with milliseconds.
         * @example 2026-11-20T08:15:30.000Z
         */
        Timestamp: string;
        /**
         * Format: date-time
         * @description RFC 3339 with any offset.
         * @example 2026-11-20T08:15:30.000Z
         */
        TimestampInput: string;
        /** @description The work that waits, of the kinds that the caller's role may see. */
        Today: {
            alerts: components["schemas"]["FiringAlerts"] | null;
            /** @description When this was asked. */
            at: components["schemas"]["Timestamp"];
            books: components["schemas"]["Books"] | null;
            /** @description How long sources of delivery reports are silent. */
            sources: components["schemas"]["Sources"];
            /** @description By kind: each that the role may open. */
            waiting: components["schemas"]["Waiting"][];
        };
        /** @description The token of a session. */
        Token: {
            /**
             * @description The token for `X-CT`; returned only here.
             * @example q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA
             */
            token: string;
        };
        /** @description Number of unread notifications. */
        UnreadTotal: {
            /**
             * Format: int64
             * @description Of two counts, also those of the event stream, the one with the larger number is later.
             * @example 12
             */
            sequence: number;
            /**
             * Format: int64
             * @description Number of unread notifications in all categories.
             * @example 3
             */
            unread_total: number;
        };
        /** @description A picture to upload. */
        UploadForm: {
            /**
             * Format: binary
             * @description PNG, JPEG, WebP or GIF, at most 5 MB (5,242,880 bytes).
             */
            file: string;
        };
        /** @description A picture that was uploaded. */
        UploadedFile: {
            /**
             * Format: int32
             * @description Height in pixels.
             * @example 480
             */
            height: number;
            /**
             * @description Opaque id, for fields that refer to a file.
             * @example 4be1c7a09d3f52685f0c1f6e2b7d4a91a3c8e0d7b6f5142c
             */
            id: string;
            /**
             * Format: int64
             * @description Size of the stored picture, in bytes.
             * @example 48213
             */
            size: number;
            /**
             * @description Public address of the picture.
             * @example /api/files/4be1c7a09d3f52685f0c1f6e2b7d4a91a3c8e0d7b6f5142c
             */
            url: string;
            /**
             * Format: int32
             * @description Width in pixels.
             * @example 640
             */
            width: number;
        };
        /** @description A page of a user's coupons. */
        UserCouponPage: {
            /** @description Counts by state. */
            counts: components["schemas"]["CouponCounts"];
            /** @description The coupons, newest first. */
            items: components["schemas"]["Coupon"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description A user with wallet and sessions. */
        UserDetail: components["schemas"]["UserInfo"] & {
            /** @description The balances of the wallet. */
            property: components["schemas"]["Property"];
            /** @description Active sessions, newest first. */
            sessions: components["schemas"]["SessionSummary"][];
        };
        /** @description A user, as shown to the user and to staff. */
        UserInfo: {
            /** @description Address of the picture. */
            avatar_url: string | null;
            /** @description When the account was created. */
            created_at: components["schemas"]["Timestamp"];
            /**
             * Format: int32
             * @description Credit score in points.
             * @example 100
             */
            credit_score: number;
            /** @description Customer service for questions of every kind. */
            customer_service_url: components["schemas"]["ServiceEntry"][];
            deposit: components["schemas"]["Money"] | null;
            /**
             * @description E-mail address; empty if none was given. Finance and operators see `a****@example.com`.
             * @example ada@example.com
             */
            email: string;
            /** @description Whether the user has confirmed the address with a code that was mailed to it. */
            email_confirmed: boolean;
            /** @description How the account was created. */
            entry: components["schemas"]["Entry"];
            /** @description Whether a bank card is bound. */
            has_bank_card: boolean;
            /** @description Whether a transaction password is set. */
            has_pay_password: boolean;
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            id: string;
            lang: components["schemas"]["Lang"] | null;
            /**
             * @description Licence key that opened the account; only the last four characters are shown.
             * @example ****0001
             */
            licenseKey: string | null;
            /**
             * @description Display name.
             * @example Ada
             */
            nickname: string;
            /**
             * @description What the user writes on a payment, so that staff find whose money it is: a creditor reference of ISO 11649.
             * @example RF1853900754703400AA
             */
            payment_reference: string;
            /**
             * @description Phone number; empty if none was given. Finance and operators see `+49****678`.
             * @example +4915112345678
             */
            phone: string;
            /** @description The proxy operator followed. */
            proxy_operator_id: string | null;
            /** @description Customer service for deposits. */
            recharge_customer_service_url: components["schemas"]["ServiceEntry"][];
            /**
             * Format: int32
             * @description Shop level, from 1.
             * @example 1
             */
            shop_level: number;
            /** @description State of the account. */
            state: components["schemas"]["UserState"];
            /**
             * @description Login name.
             * @example ada.lovelace
             */
            username: string;
            /** @description Whether the user is a member. */
            vip: boolean;
        };
        /** @description A page of a list. */
        UserInfoPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["UserInfo"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /** @description A user in lists for staff. */
        UserName: {
            /**
             * @description The user.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            id: string;
            /**
             * @description Login name; null while it is unavailable.
             * @example ada.lovelace
             */
            username: string | null;
        };
        /** @description A page of a user's notifications. */
        UserNoticePage: {
            /** @description The notifications, newest first, in the caller's language. */
            items: components["schemas"]["Notification"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
            /**
             * Format: int64
             * @description Number of unread notifications in all categories.
             * @example 3
             */
            unread_total: number;
        };
        /**
         * @description Changes the given fields of a user's standing; absent fields stay as they are. The user sees the change, so it needs a
         *     reason.
         */
        UserProfileRequest: {
            /**
             * Format: int32
             * @description Credit score in points, 0 to 1000.
             * @example 120
             */
            credit_score?: number | null;
            deposit?: components["schemas"]["MoneyInput"] | null;
            /**
             * @description The user.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            id: string;
            /**
             * Format: int32
             * @description Shop level, 1 to 100.
             * @example 2
             */
            shop_level?: number | null;
            /** @description Whether the user is a member. */
            vip?: boolean | null;
        };
        /**
         * @description State of an account.
         * @enum {string}
         */
        UserState: "active" | "not_activated" | "disabled" | "cancelled";
        /** @description Changes the state of an account. */
        UserStateRequest: {
            /**
             * @description The user.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            id: string;
            /**
             * @description Why.
             * @example Asked for by the user
             */
            reason?: string | null;
            /** @description The new state. */
            state: components["schemas"]["UserState"];
        };
        /** @description Things of one kind that wait. */
        Waiting: {
            /**
             * Format: int64
             * @description How many, up to 10,000 of a service; null while that is unknown. Of dead letters that not all services have
             *     counted, how many are known of.
             * @example 3
             */
            count: number | null;
            /** @description What they are. */
            kind: components["schemas"]["WaitingKind"];
            /** @description Whether there are more than were counted. */
            more: boolean;
            oldest_at: components["schemas"]["Timestamp"] | null;
            /** @description Whether they could be counted. Of dead letters, all services must have counted theirs. */
            state: components["schemas"]["PartState"];
        };
        /**
         * @description The kind of work.
         * @enum {string}
         */
        WaitingKind: "withdrawals" | "approvals" | "bank_lines" | "payment_batches" | "freezes" | "exchange_orders" | "feedback" | "delivery_imports" | "quarantined_reports" | "plans_to_finish" | "plans_to_settle" | "campaigns" | "dead_letters";
        /**
         * @description A balance of the wallet.
         * @enum {string}
         */
        WalletAccount: "available" | "to_be_consumed" | "to_be_settled" | "withdrawing";
        /** @description A wallet address. */
        WalletAddress: {
            /**
             * @description The address; masked to its first and last four characters except for finance staff.
             * @example TJRa****m9Zx
             */
            address: string;
            /**
             * @description Its network.
             * @example TRC20
             */
            network: string;
        };
        /** @description Credits a wallet, or takes money back from it. */
        WalletChangeRequest: {
            /** @description Amount. */
            amount: components["schemas"]["MoneyInput"];
            /**
             * @description Remark shown to the user, at most 500 characters.
             * @example Bank transfer 2026-11-20
             */
            remark: string;
            /**
             * @description Owner of the wallet.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f
             */
            user_id: string;
        };
        /** @description Withdraws a scheduled announcement. */
        WithdrawAnnouncementRequest: {
            /**
             * @description The announcement.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e36
             */
            id: string;
            /**
             * @description Why, 1 to 500 characters; visible to staff only.
             * @example The maintenance was postponed
             */
            reason: string;
            /**
             * Format: int64
             * @description The version that was looked at; whichever stands if absent.
             * @example 1
             */
            version?: number | null;
        };
        /** @description Requests a withdrawal. */
        WithdrawRequest: {
            /** @description Amount taken from the available funds, fee included. */
            amount: components["schemas"]["MoneyInput"];
            /** @description How. */
            method: components["schemas"]["WithdrawalMethod"];
            /**
             * @description MD5 of the transaction password, in hex.
             * @example 5f4dcc3b5aa765d61d8327deb882cf99
             */
            password: string;
        };
        /** @description A withdrawal. */
        Withdrawal: {
            /** @description Amount taken from the available funds, fee included. */
            amount: components["schemas"]["Money"];
            decided_at: components["schemas"]["Timestamp"] | null;
            destination: components["schemas"]["Destination"] | null;
            /** @description Fee, part of the amount. */
            fee: components["schemas"]["Money"];
            /**
             * @description Opaque id.
             * @example 0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3e
             */
            id: string;
            /** @description How. */
            method: components["schemas"]["WithdrawalMethod"];
            /** @description Why it was rejected. */
            reason: string | null;
            /** @description Its state. */
            status: components["schemas"]["WithdrawalStatus"];
            /** @description When it was requested. */
            time: components["schemas"]["Timestamp"];
        };
        /**
         * @description Decision on a withdrawal.
         * @enum {string}
         */
        WithdrawalDecision: "paid" | "rejected";
        /**
         * @description A withdrawal method.
         * @enum {string}
         */
        WithdrawalMethod: "bank_card" | "wallet_address";
        /** @description Terms of a withdrawal method. */
        WithdrawalMethodConfig: {
            /** @description Whether it is available now. */
            enabled: boolean;
            /** @description Fee, deducted from the amount. */
            fee: components["schemas"]["Money"];
            /** @description Maximum amount. */
            max: components["schemas"]["Money"];
            /** @description The method. */
            method: components["schemas"]["WithdrawalMethod"];
            /** @description Minimum amount. */
            min: components["schemas"]["Money"];
        };
        /** @description A page of a list. */
        WithdrawalPage: {
            /** @description The items, newest first. */
            items: components["schemas"]["Withdrawal"][];
            /** @description Cursor of the next page; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * @description Status of a withdrawal.
         * @enum {string}
         */
        WithdrawalStatus: "pending" | "paid" | "rejected" | "cancelled";
    };
    responses: {
        /** @description The request is not valid HTTP, or its headers are too long. */
        Edge400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description The path does not support this method. */
        Edge405: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description The body is too large. */
        Edge413: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description The address is too long. */
        Edge414: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description The body has the wrong content type. */
        Edge415: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description Too many requests from this address or with this token or key. */
        Edge429: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description A service is down. */
        Edge502: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description A service is down. */
        Edge503: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description A service did not answer in time. */
        Edge504: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAcceptorDetail: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "DEMO-PERSONAL",
                 *       "kind": "personal"
                 *     }
                 */
                "application/json": components["schemas"]["AcceptorDetailRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["AcceptorDetail"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    cancelExchange: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
                 *     }
                 */
                "application/json": components["schemas"]["ById"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["ExchangeOrder"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    createExchange: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": "1250.00",
                 *       "code": "DEMO-PERSONAL",
                 *       "kind": "personal",
                 *       "password": "5f4dcc3b5aa765d61d8327deb882cf99"
                 *     }
                 */
                "application/json": components["schemas"]["CreateExchangeRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["ExchangeOrder"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listExchanges: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["ExchangeOrderPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getStatistics: {
        parameters: {
            query?: {
                type?: components["schemas"]["StatisticsType"];
                user_time_zone?: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Statistics"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    createAcceptanceCode: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "acceptor_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e37",
                 *       "currency": "EUR",
                 *       "direction": "wallet_to_currency",
                 *       "expires_at": "2026-11-20T08:15:30.000Z",
                 *       "max": "1250.00",
                 *       "min": "1250.00",
                 *       "rate": "7.2485"
                 *     }
                 */
                "application/json": components["schemas"]["CreateAcceptanceCodeRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["AcceptanceCode"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    createAcceptor: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "personal",
                 *       "name": "Harbour Exchange Ltd"
                 *     }
                 */
                "application/json": components["schemas"]["CreateAcceptorRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Acceptor"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listAcceptors: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["AcceptorPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getAudience: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["AudienceSize"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getAnnouncement: {
        parameters: {
            query: {
                id: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["AnnouncementDetail"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    editAnnouncement: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": {
                 *         "en": "The console is not available from 03:00 to 04:00 UTC."
                 *       },
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e36",
                 *       "title": {
                 *         "en": "Maintenance on Sunday"
                 *       },
                 *       "version": 1
                 *     }
                 */
                "application/json": components["schemas"]["EditAnnouncementRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Announcement"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listAnnouncements: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
                state?: components["schemas"]["AnnouncementState"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["AnnouncementPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    withdrawAnnouncement: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e36",
                 *       "reason": "The maintenance was postponed",
                 *       "version": 1
                 *     }
                 */
                "application/json": components["schemas"]["WithdrawAnnouncementRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Announcement"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    decideApproval: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "approved",
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42",
                 *       "reason": "Seen on the bank statement"
                 *     }
                 */
                "application/json": components["schemas"]["DecideApprovalRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Approval"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listApprovals: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
                state?: components["schemas"]["ApprovalState"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["ApprovalPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                action?: string;
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
                staff_id?: string;
                user_id?: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["AuditEntryPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    setBankLineAside: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "aside": false,
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e62",
                 *       "reason": "Interest of the bank"
                 *     }
                 */
                "application/json": components["schemas"]["SetBankLineAsideRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["StaffBankLine"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    creditBankLine: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e62"
                 *     }
                 */
                "application/json": components["schemas"]["CreditBankLineRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["StaffBankLine"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listBankLines: {
        parameters: {
            query: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
                state?: components["schemas"]["BankLineState"];
                statement_id: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["StaffBankLinePage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    uploadBankStatement: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["BankStatementForm"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["BankUpload"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listBankStatements: {
        parameters: {
            query?: {
                cursor?: string;
                id?: string;
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["BankStatementPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    claimItem: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e44",
                 *       "kind": "withdrawal"
                 *     }
                 */
                "application/json": components["schemas"]["ClaimRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Claim"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    releaseClaim: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e44",
                 *       "kind": "withdrawal"
                 *     }
                 */
                "application/json": components["schemas"]["ClaimRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Empty"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listClaims: {
        parameters: {
            query: {
                cursor?: string;
                kind: components["schemas"]["ClaimKind"];
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["ClaimPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Content"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    setContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "activity_rules": {
                 *         "en": "Coupons are distributed periodically."
                 *       },
                 *       "fees": {
                 *         "en": "A withdrawal costs 1.50."
                 *       },
                 *       "imprint": {
                 *         "en": "Adfolio Ltd, 1 Example Street"
                 *       },
                 *       "operating_rules": {
                 *         "en": "Plans run until their budget is consumed."
                 *       },
                 *       "privacy": {
                 *         "en": "We keep what the law asks for."
                 *       },
                 *       "terms": {
                 *         "en": "These terms apply to every account."
                 *       },
                 *       "version": 7
                 *     }
                 */
                "application/json": components["schemas"]["ContentRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Content"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    restoreContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current": 7,
                 *       "parts": [
                 *         "faq"
                 *       ],
                 *       "reason": "The new answers were wrong",
                 *       "version": 6
                 *     }
                 */
                "application/json": components["schemas"]["RestoreContentRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Content"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getContentVersion: {
        parameters: {
            query: {
                version: number;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["ContentVersionDetail"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listContentVersions: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["ContentVersionPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    createCampaign: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount_requirement": "1250.00",
                 *       "kind": "new_user",
                 *       "mode": "discount",
                 *       "name": "Welcome 10%",
                 *       "type": "increment",
                 *       "valid_days": 30,
                 *       "value": "10%"
                 *     }
                 */
                "application/json": components["schemas"]["CreateCampaignRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Campaign"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    decideCampaign: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "released",
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e35",
                 *       "reason": "Within the budget of the quarter"
                 *     }
                 */
                "application/json": components["schemas"]["DecideCampaignRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Campaign"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listCampaigns: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["CampaignPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    grantCoupon: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "campaign_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e35",
                 *       "user_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
                 *     }
                 */
                "application/json": components["schemas"]["GrantCouponRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Coupon"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    importDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["DeliveryImportForm"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["ImportResult"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    decideDeliveryImport: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "released",
                 *       "import_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e50",
                 *       "reason": "Matches the network's invoice of November"
                 *     }
                 */
                "application/json": components["schemas"]["DecideImportRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["DeliveryImport"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listDeliveryImports: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
                state?: components["schemas"]["ImportState"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["DeliveryImportPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    decideQuarantinedReports: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "released",
                 *       "ids": [
                 *         "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e51"
                 *       ],
                 *       "reason": "The network confirmed the clicks, case 4711"
                 *     }
                 */
                "application/json": components["schemas"]["DecideQuarantineRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["DecidedReports"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listQuarantinedReports: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
                state?: components["schemas"]["QuarantineState"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["QuarantinedReportPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    decideExchange: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "completed",
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3d",
                 *       "reason": "The acceptor confirmed the transfer"
                 *     }
                 */
                "application/json": components["schemas"]["DecideExchangeRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["StaffExchangeOrder"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listAllExchanges: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
                status?: components["schemas"]["ExchangeStatus"];
                user_id?: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["StaffExchangeOrderPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    closeFeedback: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3f",
                 *       "reply": "The network restated its report; the clicks are there now."
                 *     }
                 */
                "application/json": components["schemas"]["CloseFeedbackRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Feedback"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listFeedback: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
                state?: components["schemas"]["FeedbackState"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["FeedbackPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    createHost: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Partner app",
                 *       "public_key": "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n"
                 *     }
                 */
                "application/json": components["schemas"]["CreateHostRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Host"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    addHostKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "host_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e40",
                 *       "public_key": "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n"
                 *     }
                 */
                "application/json": components["schemas"]["AddHostKeyRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Host"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    revokeHostKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kid": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
                 *       "reason": "rotation"
                 *     }
                 */
                "application/json": components["schemas"]["RevokeHostKeyRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Host"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listHosts: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["HostList"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    createLicenses: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "activate": true,
                 *       "count": 10,
                 *       "note": "Trade fair"
                 *     }
                 */
                "application/json": components["schemas"]["CreateLicenseRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["LicenseList"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listLicenses: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["LicensePage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    staffLogin: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "287082",
                 *       "device_token": "3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                 *       "password": "adfolio-admin",
                 *       "username": "admin"
                 *     }
                 */
                "application/json": components["schemas"]["StaffLoginRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["StaffSession"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    staffLogout: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Empty"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getStaffMe: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Me"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    createNetwork: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Network A",
                 *       "report_delay_seconds": 300,
                 *       "source": "network-a"
                 *     }
                 */
                "application/json": components["schemas"]["CreateNetworkRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["NetworkWithKey"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    editNetwork: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "network_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e41",
                 *       "reason": "reports hourly from now on"
                 *     }
                 */
                "application/json": components["schemas"]["EditNetworkRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Network"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    issueNetworkKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "network_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e41",
                 *       "overlap_seconds": 86400,
                 *       "reason": "rotation"
                 *     }
                 */
                "application/json": components["schemas"]["IssueNetworkKeyRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["NetworkWithKey"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listNetworks: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["NetworkPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    createNotification: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "category": "announcement",
                 *       "content": {
                 *         "en": "The console is not available from 02:00 to 03:00 UTC."
                 *       },
                 *       "title": {
                 *         "en": "Maintenance on Sunday"
                 *       },
                 *       "to": "all"
                 *     }
                 */
                "application/json": components["schemas"]["CreateNotificationRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PublishedNotification"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    createOperator: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "North Sea Media"
                 *     }
                 */
                "application/json": components["schemas"]["CreateOperatorRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Operator"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listOperators: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["OperatorPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    confirmWithPasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ceremony": "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ",
                 *       "credential": {
                 *         "id": "3q2-7w",
                 *         "rawId": "3q2-7w",
                 *         "response": {},
                 *         "type": "public-key"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ConfirmWithPasskeyRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["FreshStaffSession"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    startPasskeyConfirmation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PasskeyCeremony"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    loginWithPasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ceremony": "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ",
                 *       "credential": {
                 *         "id": "3q2-7w",
                 *         "rawId": "3q2-7w",
                 *         "response": {},
                 *         "type": "public-key"
                 *       },
                 *       "device_token": "3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                 *     }
                 */
                "application/json": components["schemas"]["PasskeyLoginRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["StaffSession"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    startPasskeyLogin: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PasskeyCeremony"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    registerPasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ceremony": "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ",
                 *       "credential": {
                 *         "id": "3q2-7w",
                 *         "rawId": "3q2-7w",
                 *         "response": {},
                 *         "type": "public-key"
                 *       },
                 *       "name": "Work laptop"
                 *     }
                 */
                "application/json": components["schemas"]["RegisterPasskeyRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Passkey"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    startPasskeyRegistration: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PasskeyCeremony"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    removePasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "passkey_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b"
                 *     }
                 */
                "application/json": components["schemas"]["RemovePasskeyRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Passkey"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listPasskeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Passkeys"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    resetPayPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Forgotten; identity checked by phone",
                 *       "user_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
                 *     }
                 */
                "application/json": components["schemas"]["ResetPayPasswordRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Empty"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getPaymentTable: {
        parameters: {
            query: {
                id: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or an envelope with the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorEnvelope"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    decidePaymentBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "released",
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e63"
                 *     }
                 */
                "application/json": components["schemas"]["DecidePaymentBatchRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PaymentBatch"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listPaymentBatches: {
        parameters: {
            query?: {
                cursor?: string;
                id?: string;
                limit?: components["schemas"]["PageLimit"];
                state?: components["schemas"]["PaymentBatchState"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PaymentBatchPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getPaymentFile: {
        parameters: {
            query: {
                id: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or an envelope with the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorEnvelope"];
                    "application/xml": string;
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    payPaymentBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e63",
                 *       "reason": "Bank confirmed order 4711"
                 *     }
                 */
                "application/json": components["schemas"]["PayPaymentBatchRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PaymentBatch"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    proposePaymentBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Payments of 28 November",
                 *       "withdrawal_ids": [
                 *         "text"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ProposePaymentBatchRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PaymentBatch"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    takeOutOfPaymentBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3e",
                 *       "reason": "The bank returned it: account closed"
                 *     }
                 */
                "application/json": components["schemas"]["TakeOutRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["StaffWithdrawal"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    createPlacement: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "countries": [
                 *         "AT",
                 *         "DE"
                 *       ],
                 *       "format": "native",
                 *       "name": "Feed, top",
                 *       "network_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e41",
                 *       "systems": [
                 *         "android",
                 *         "ios"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreatePlacementRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Placement"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    editPlacement: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "placement_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42",
                 *       "reason": "redesigned"
                 *     }
                 */
                "application/json": components["schemas"]["EditPlacementRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Placement"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listPlacements: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
                network_id?: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PlacementPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    setPlacementPrice: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "cost": "7.2485",
                 *       "model": "cpm",
                 *       "placement_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42",
                 *       "revenue": "7.2485",
                 *       "valid_from": "2026-11-20T08:15:30.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["PlacementPriceRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Placement"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getAnyPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
                 *     }
                 */
                "application/json": components["schemas"]["ById"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["StaffPlanDetail"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    finishPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32",
                 *       "outcome": "put_finished",
                 *       "reason": "Window over"
                 *     }
                 */
                "application/json": components["schemas"]["FinishPlanRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Plan"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listAllPlans: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
                plan_number?: string;
                push?: components["schemas"]["PushFilter"];
                status?: components["schemas"]["PlanStatus"];
                user_id?: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["StaffPlanPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getAnyPlanPace: {
        parameters: {
            query: {
                plan_id: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PlanPace"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listAnyPlanPlacements: {
        parameters: {
            query: {
                plan_id: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PlanPlacements"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    pushPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": "1250.00",
                 *       "product_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31",
                 *       "put_content": "Fifteen-second video",
                 *       "put_rule": "Delivered evenly until the budget is consumed.",
                 *       "to": {
                 *         "user_ids": [
                 *           "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PushPlanRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PushedPlans"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    settlePlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
                 *     }
                 */
                "application/json": components["schemas"]["ById"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Plan"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listPlatformAccounts: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PlatformAccounts"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listPlatformEntries: {
        parameters: {
            query: {
                account: components["schemas"]["PlatformAccount"];
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["StaffPlatformEntryPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    createProduct: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "audience": {
                 *         "age_max": 55,
                 *         "age_min": 18,
                 *         "gender": "any",
                 *         "regions": [
                 *           "DE",
                 *           "AT"
                 *         ]
                 *       },
                 *       "category": "Games",
                 *       "content_types": [
                 *         "video"
                 *       ],
                 *       "description": "A calm puzzle game by the sea.",
                 *       "game_description": "Match tiles, repair the harbour.",
                 *       "icon_url": "/media/puzzle-harbour.png",
                 *       "name": "Puzzle Harbour",
                 *       "put_max": "1250.00",
                 *       "put_min": "1250.00",
                 *       "return_max_percent": 1000
                 *     }
                 */
                "application/json": components["schemas"]["CreateProductRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["StaffProduct"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    editProduct: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "audience": {
                 *         "age_max": 55,
                 *         "age_min": 18,
                 *         "gender": "any",
                 *         "regions": [
                 *           "DE",
                 *           "AT"
                 *         ]
                 *       },
                 *       "category": "Games",
                 *       "content_types": [
                 *         "video"
                 *       ],
                 *       "description": "A calm puzzle game by the sea.",
                 *       "game_description": "Match tiles, repair the harbour.",
                 *       "icon_url": "/media/puzzle-harbour.png",
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31",
                 *       "name": "Puzzle Harbour",
                 *       "put_max": "1250.00",
                 *       "put_min": "1250.00",
                 *       "return_max_percent": 1000
                 *     }
                 */
                "application/json": components["schemas"]["EditProductRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["StaffProduct"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listAllProducts: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["StaffProductPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    confirmSecondFactor: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "287082"
                 *     }
                 */
                "application/json": components["schemas"]["ConfirmSecondFactorRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["FreshStaffSession"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    enrollSecondFactor: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["SecondFactor"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    resetSecondFactor: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "lost the phone",
                 *       "staff_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39"
                 *     }
                 */
                "application/json": components["schemas"]["ResetSecondFactorRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Staff"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    addReportSourceKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "public_key": "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n",
                 *       "source": "network-a"
                 *     }
                 */
                "application/json": components["schemas"]["AddReportSourceKeyRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["ReportSource"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    revokeReportSourceKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kid": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
                 *       "reason": "rotation"
                 *     }
                 */
                "application/json": components["schemas"]["RevokeReportSourceKeyRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["ReportSource"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listReportSources: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["ReportSourceList"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    saveReportSource: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channels": [
                 *         "file"
                 *       ],
                 *       "reason": "sends one file a day",
                 *       "source": "network-a"
                 *     }
                 */
                "application/json": components["schemas"]["SaveReportSourceRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["ReportSource"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    confirmStaff: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "met her in the office",
                 *       "staff_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39"
                 *     }
                 */
                "application/json": components["schemas"]["ConfirmStaffRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Staff"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    createStaff: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "a long enough password",
                 *       "role": "admin",
                 *       "username": "olivia"
                 *     }
                 */
                "application/json": components["schemas"]["CreateStaffRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Staff"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listStaff: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["ListedStaffPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    changeStaffPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "new_password": "an even longer staple",
                 *       "old_password": "correct horse battery"
                 *     }
                 */
                "application/json": components["schemas"]["StaffPasswordRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["StaffPassword"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    setStaffRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "moved to finance",
                 *       "role": "admin",
                 *       "staff_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39"
                 *     }
                 */
                "application/json": components["schemas"]["StaffRoleRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Staff"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    endStaffSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "staff_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39"
                 *     }
                 */
                "application/json": components["schemas"]["EndStaffSessionsRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Staff"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    setStaffState: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "left the company",
                 *       "staff_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39",
                 *       "state": "active"
                 *     }
                 */
                "application/json": components["schemas"]["StaffStateRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Staff"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    openStaffStream: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or an envelope with the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorEnvelope"];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getToday: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Today"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listUserCoupons: {
        parameters: {
            query: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
                state?: components["schemas"]["CouponState"];
                user_id: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["UserCouponPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getUserDestinations: {
        parameters: {
            query: {
                user_id: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Destinations"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getUserDetail: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
                 *     }
                 */
                "application/json": components["schemas"]["ById"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["UserDetail"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listUserFlow: {
        parameters: {
            query: {
                account?: components["schemas"]["WalletAccount"];
                cursor?: string;
                from?: components["schemas"]["Day"];
                limit?: components["schemas"]["PageLimit"];
                month?: components["schemas"]["Month"];
                totals?: boolean;
                type?: components["schemas"]["FlowType"];
                until?: components["schemas"]["Day"];
                user_id: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["FlowPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    createHostToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "external_user_id": "host-user-4711",
                 *       "host_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e40"
                 *     }
                 */
                "application/json": components["schemas"]["HostTokenRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Token"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listUsers: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
                query?: string;
                state?: components["schemas"]["UserState"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["UserInfoPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listUserNotices: {
        parameters: {
            query: {
                category?: components["schemas"]["CategoryFilter"];
                cursor?: string;
                filter?: components["schemas"]["ReadFilter"];
                limit?: components["schemas"]["PageLimit"];
                user_id: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["UserNoticePage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    setUserProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "credit_score": 120,
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f",
                 *       "shop_level": 2
                 *     }
                 */
                "application/json": components["schemas"]["UserProfileRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["UserInfo"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listUserSecurityLog: {
        parameters: {
            query: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
                user_id: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["SecurityEntryPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    endUserSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The user reported a stolen phone",
                 *       "user_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
                 *     }
                 */
                "application/json": components["schemas"]["EndUserSessionsRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["EndedSessions"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    setUserState: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f",
                 *       "reason": "Asked for by the user",
                 *       "state": "active"
                 *     }
                 */
                "application/json": components["schemas"]["UserStateRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["UserInfo"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getUserStatement: {
        parameters: {
            query: {
                month: components["schemas"]["Month"];
                user_id: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or an envelope with the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorEnvelope"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    chargeBack: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": "1250.00",
                 *       "remark": "Bank transfer 2026-11-20",
                 *       "user_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
                 *     }
                 */
                "application/json": components["schemas"]["WalletChangeRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["FlowEntry"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    creditDeposit: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": "1250.00",
                 *       "remark": "Bank transfer 2026-11-20",
                 *       "user_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
                 *     }
                 */
                "application/json": components["schemas"]["WalletChangeRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["FlowEntry"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listFreezes: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["FreezePage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    changeGuarantee: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "deposit",
                 *       "amount": "1250.00",
                 *       "remark": "Guarantee for shop level 3",
                 *       "user_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
                 *     }
                 */
                "application/json": components["schemas"]["GuaranteeRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Property"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    openMembership: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": "1250.00",
                 *       "user_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
                 *     }
                 */
                "application/json": components["schemas"]["MembershipRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["FlowEntry"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    deductRecharge: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": "1250.00",
                 *       "remark": "Bank transfer 2026-11-20",
                 *       "user_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
                 *     }
                 */
                "application/json": components["schemas"]["WalletChangeRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["FlowEntry"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    reconcile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Reconciliation"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    changeStartUpFunds: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "grant",
                 *       "amount": "1250.00",
                 *       "user_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
                 *     }
                 */
                "application/json": components["schemas"]["StartUpFundsRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["FlowEntry"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    unfreezeWallet: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Called back on the known number",
                 *       "user_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
                 *     }
                 */
                "application/json": components["schemas"]["LiftFreezeRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Freeze"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    decideWithdrawal: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "paid",
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3e",
                 *       "reason": "Transferred on 2026-11-21"
                 *     }
                 */
                "application/json": components["schemas"]["DecideWithdrawalRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["StaffWithdrawal"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listAllWithdrawals: {
        parameters: {
            query?: {
                cursor?: string;
                id?: string;
                limit?: components["schemas"]["PageLimit"];
                payment_batch_id?: string;
                status?: components["schemas"]["WithdrawalStatus"];
                user_id?: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["StaffWithdrawalPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    follow: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "operator_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b"
                 *     }
                 */
                "application/json": components["schemas"]["FollowRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Follow"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listFollows: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["FollowPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    olderLogin: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "device_token": "3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                 *       "password": "adfolio-demo-1",
                 *       "username": "demo"
                 *     }
                 */
                "application/json": components["schemas"]["LoginRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["OlderSession"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Empty"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    olderRegister: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "confirm_password": "correct horse battery",
                 *       "email": "ada@example.com",
                 *       "licenseKey": "DEMO-LICENSE-0001",
                 *       "nickname": "Ada",
                 *       "password": "correct horse battery",
                 *       "phone": "+4915112345678",
                 *       "username": "ada.lovelace"
                 *     }
                 */
                "application/json": components["schemas"]["OlderRegisterRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["OlderSession"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    enterByHost: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "assertion": "eyJhbGciOiJFZERTQSIsImtpZCI6ImtQcksifQ.eyJzdWIiOiJ1LTEifQ.c2lnbmF0dXJl"
                 *     }
                 */
                "application/json": components["schemas"]["HostEntryRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Session"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listLanguages: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["LanguageList"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "device_token": "3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                 *       "password": "adfolio-demo-1",
                 *       "username": "demo"
                 *     }
                 */
                "application/json": components["schemas"]["LoginRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Session"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    register: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "confirm_password": "correct horse battery",
                 *       "email": "ada@example.com",
                 *       "licenseKey": "DEMO-LICENSE-0001",
                 *       "nickname": "Ada",
                 *       "password": "correct horse battery",
                 *       "phone": "+4915112345678",
                 *       "username": "ada.lovelace"
                 *     }
                 */
                "application/json": components["schemas"]["RegisterRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Session"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getDestinations: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Destinations"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    bindDestination: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "bank_account": "DE89370400440532013000",
                 *       "branch_name": "Hamburg Harbour",
                 *       "card_name": "North Sea Bank",
                 *       "kind": "bank_card",
                 *       "mobile": "+4915112345678",
                 *       "password": "5f4dcc3b5aa765d61d8327deb882cf99",
                 *       "user_name": "Ada Lovelace"
                 *     }
                 */
                "application/json": components["schemas"]["BindRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Destination"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getBasicConfig: {
        parameters: {
            query?: {
                lang?: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["BasicConfig"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    checkPayPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "5f4dcc3b5aa765d61d8327deb882cf99"
                 *     }
                 */
                "application/json": components["schemas"]["CheckPayPasswordRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Empty"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getCheckpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or an envelope with the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorEnvelope"];
                    "text/plain": string;
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getCheckpointConsistency: {
        parameters: {
            query: {
                first: number;
                second: number;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Consistency"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getCheckpointKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or an envelope with the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorEnvelope"];
                    "text/plain": string;
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listCheckpoints: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["CheckpointPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    submitFeedback: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "content": "The series of my plan shows no clicks since noon.",
                 *       "topic": "Delivery"
                 *     }
                 */
                "application/json": components["schemas"]["FeedbackRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Created"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    uploadFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["UploadForm"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["UploadedFile"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getLegalText: {
        parameters: {
            query: {
                name: components["schemas"]["LegalName"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Legal"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listAllotments: {
        parameters: {
            query?: {
                after?: string;
                limit?: components["schemas"]["AllotmentLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Allotments"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    reportNetworkDelivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/jsonl": components["schemas"]["NetworkReports"];
                "application/x-ndjson": components["schemas"]["NetworkReports"];
                "text/plain": components["schemas"]["NetworkReports"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["NetworkReportResult"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    openStore: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "DEMO-LICENSE-0002"
                 *     }
                 */
                "application/json": components["schemas"]["OpenStoreRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Session"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getProduct: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "product_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31"
                 *     }
                 */
                "application/json": components["schemas"]["AppDetailRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["AppDetail"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    countWaitingPlans: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Count"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    cancelPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "plan_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32"
                 *     }
                 */
                "application/json": components["schemas"]["ByPlanId"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Plan"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
                 *     }
                 */
                "application/json": components["schemas"]["ById"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PlanDetail"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listPlans: {
        parameters: {
            query?: {
                cursor?: string;
                figure?: components["schemas"]["PlanFigure"];
                from?: components["schemas"]["Day"];
                limit?: components["schemas"]["PageLimit"];
                order?: components["schemas"]["SortOrder"];
                push?: components["schemas"]["PushFilter"];
                query?: string;
                sort?: components["schemas"]["PlanSort"];
                status?: components["schemas"]["PlanStatus"];
                type?: components["schemas"]["StatisticsType"];
                until?: components["schemas"]["Day"];
                user_time_zone?: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PlanPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getPlanPace: {
        parameters: {
            query: {
                plan_id: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PlanPace"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listPlanPlacements: {
        parameters: {
            query: {
                plan_id: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PlanPlacements"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    putPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": "1250.00",
                 *       "product_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31"
                 *     }
                 */
                "application/json": components["schemas"]["PutRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Plan"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listReports: {
        parameters: {
            query: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
                plan_id: string;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["ReportPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listProducts: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["ProductPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getPushKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["PushKey"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    subscribeToPush: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "auth": "_ordMnz7uTCmrpBTeUV4Bw",
                 *       "endpoint": "https://fcm.googleapis.com/fcm/send/dQw4w9WgXcQ",
                 *       "p256dh": "BLn9b-VR0ca83knDNZ32dCHGyjJp-1riX9ZTN40MqV8K_LpQmLqxC_DoHvqvFXO_nGdAB4W9dogZb_sM-uV4JbY"
                 *     }
                 */
                "application/json": components["schemas"]["PushSubscription"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Empty"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    unsubscribeFromPush: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "endpoint": "https://fcm.googleapis.com/fcm/send/dQw4w9WgXcQ"
                 *     }
                 */
                "application/json": components["schemas"]["PushEndpoint"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Empty"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    setPayPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "confirm_password": "5f4dcc3b5aa765d61d8327deb882cf99",
                 *       "password": "5f4dcc3b5aa765d61d8327deb882cf99"
                 *     }
                 */
                "application/json": components["schemas"]["SetPayPasswordRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Empty"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    openStream: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or an envelope with the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorEnvelope"];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listFlow: {
        parameters: {
            query?: {
                account?: components["schemas"]["WalletAccount"];
                cursor?: string;
                from?: components["schemas"]["Day"];
                id?: string;
                limit?: components["schemas"]["PageLimit"];
                month?: components["schemas"]["Month"];
                totals?: boolean;
                type?: components["schemas"]["FlowType"];
                until?: components["schemas"]["Day"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["FlowPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getMonthly: {
        parameters: {
            query?: {
                months?: components["schemas"]["MonthCount"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Monthly"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getHeadProof: {
        parameters: {
            query: {
                sequence: number;
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["HeadProof"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getStatement: {
        parameters: {
            query: {
                month: components["schemas"]["Month"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or an envelope with the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorEnvelope"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getStatementDocument: {
        parameters: {
            query: {
                month: components["schemas"]["Month"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or an envelope with the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorEnvelope"];
                    "application/pdf": string;
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "confirm_password": "an even longer staple",
                 *       "new_password": "an even longer staple",
                 *       "old_password": "correct horse battery"
                 *     }
                 */
                "application/json": components["schemas"]["ChangePasswordRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Empty"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    sendEmailCode: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["EmailCode"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    confirmEmail: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "20671943"
                 *     }
                 */
                "application/json": components["schemas"]["ConfirmEmailRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["UserInfo"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    freezeWallet: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "I did not log in from there"
                 *     }
                 */
                "application/json": components["schemas"]["FreezeRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Property"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    freezeWalletByMail: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "mS3vDk0nqL7xYw1aB5cE9fGhJ2kPtR4uVzN6oQ8iXyI"
                 *     }
                 */
                "application/json": components["schemas"]["FreezeByMailRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Empty"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["UserInfo"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    editUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "nickname": "Ada",
                 *       "phone": "+4915112345678"
                 *     }
                 */
                "application/json": components["schemas"]["EditProfileRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["UserInfo"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listNotifications: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["NotificationListRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["NotificationPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    markNotificationsRead: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e36"
                 *     }
                 */
                "application/json": components["schemas"]["MarkReadRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["UnreadTotal"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    countUnread: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["Empty"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["UnreadTotal"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    getProperty: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Property"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listSecurityLog: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["SecurityEntryPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["OwnSessionList"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    endSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42"
                 *     }
                 */
                "application/json": components["schemas"]["EndSessionsRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Empty"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    returnStartUpFunds: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": "1250.00"
                 *     }
                 */
                "application/json": components["schemas"]["ReturnStartUpFundsRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Property"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    stepUp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": components["schemas"]["StepUpRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Fresh"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    agreeToUnfreeze: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Property"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    withdraw: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": "1250.00",
                 *       "method": "bank_card",
                 *       "password": "5f4dcc3b5aa765d61d8327deb882cf99"
                 *     }
                 */
                "application/json": components["schemas"]["WithdrawRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Withdrawal"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    cancelWithdrawal: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"
                 *     }
                 */
                "application/json": components["schemas"]["ById"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Withdrawal"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listWithdrawals: {
        parameters: {
            query?: {
                cursor?: string;
                id?: string;
                limit?: components["schemas"]["PageLimit"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["WithdrawalPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    listCoupons: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: components["schemas"]["PageLimit"];
                state?: components["schemas"]["CouponState"];
            };
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["CouponPage"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            414: components["responses"]["Edge414"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
    receiveCoupon: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts: one of the twelve codes. Any other value is ignored. */
                "X-Lang"?: components["schemas"]["Lang"];
                /** @description Time zone that defines days; UTC if it is invalid. */
                "X-TZ"?: string;
                /** @description The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "campaign_id": "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e35"
                 *     }
                 */
                "application/json": components["schemas"]["ReceiveCouponRequest"];
            };
        };
        responses: {
            /** @description Success, or the reason for the refusal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {integer} */
                        code: 200;
                        data: components["schemas"]["Coupon"];
                        /** @description In the caller's language. */
                        msg: string;
                    } | components["schemas"]["ErrorEnvelope"];
                };
            };
            400: components["responses"]["Edge400"];
            405: components["responses"]["Edge405"];
            413: components["responses"]["Edge413"];
            414: components["responses"]["Edge414"];
            415: components["responses"]["Edge415"];
            429: components["responses"]["Edge429"];
            502: components["responses"]["Edge502"];
            503: components["responses"]["Edge503"];
            504: components["responses"]["Edge504"];
        };
    };
}
