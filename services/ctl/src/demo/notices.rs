//! The announcements of the demo, in every language.

use std::collections::HashMap;

use adfolio_proto::notification::v1::create_notification_request::To;
use adfolio_proto::notification::v1::{
    Category, CreateNotificationRequest, ListNotificationsRequest,
};
use uuid::Uuid;

use super::{MOST_ITEMS, whole};
use crate::output::say;
use crate::services::{Services, ask, keyed, list, on_behalf_of, operator};

/// A language, a title and a text.
type Text = (&'static str, &'static str, &'static str);

const ANNOUNCEMENTS: [(&str, Category, [Text; 12]); 2] = [
    ("statement", Category::Announcement, STATEMENT),
    ("maintenance", Category::Maintenance, MAINTENANCE),
];

/// Publishes the announcements that the advertiser does not have.
pub async fn load(services: &Services, user: Uuid) -> anyhow::Result<()> {
    let message = ListNotificationsRequest {
        page: None,
        ..ListNotificationsRequest::default()
    };
    // On behalf of the user, but in the language of the command: English.
    let known = whole(list!(
        services.notification,
        list_notifications,
        on_behalf_of(user),
        message,
        MOST_ITEMS
    ))
    .await?;
    for (name, category, texts) in ANNOUNCEMENTS {
        let told = |title: &str| known.iter().any(|notice| notice.title == title);
        if texts.iter().any(|(_, title, _)| told(title)) {
            continue;
        }
        let by_lang = |part: fn(&Text) -> &'static str| {
            texts
                .iter()
                .map(|text| (text.0.to_owned(), part(text).to_owned()))
                .collect::<HashMap<_, _>>()
        };
        let message = CreateNotificationRequest {
            category: category.into(),
            to: Some(To::All(true)),
            title: by_lang(|text| text.1),
            content: by_lang(|text| text.2),
            publish_at: None,
        };
        let caller = keyed(operator(), &format!("demo-notice-{name}"))?;
        ask!(
            services.notification_admin,
            create_notification,
            caller,
            message
        )?;
        say(&format!("announced {name}"));
    }
    Ok(())
}

const STATEMENT: [Text; 12] = [
    (
        "en",
        "Monthly statements",
        "Under Wallet, Monthly detail you can now download a statement of every month.",
    ),
    (
        "de",
        "Monatsauszüge",
        "Unter Wallet, Monatsübersicht können Sie jetzt für jeden Monat einen Auszug herunterladen.",
    ),
    (
        "fr",
        "Relevés mensuels",
        "Dans Portefeuille, Détail mensuel, vous pouvez désormais télécharger le relevé de chaque mois.",
    ),
    (
        "spa",
        "Extractos mensuales",
        "En Cartera, Detalle mensual, ya puede descargar el extracto de cada mes.",
    ),
    (
        "pt",
        "Extratos mensais",
        "Em Carteira, Detalhe mensal, já pode transferir o extrato de cada mês.",
    ),
    (
        "ru",
        "Ежемесячные выписки",
        "В разделе «Кошелёк», «По месяцам» теперь можно скачать выписку за любой месяц.",
    ),
    (
        "th",
        "ใบแจ้งยอดรายเดือน",
        "ตอนนี้คุณดาวน์โหลดใบแจ้งยอดของแต่ละเดือนได้ที่กระเป๋าเงิน เมนูรายละเอียดรายเดือน",
    ),
    (
        "vi",
        "Sao kê hằng tháng",
        "Trong Ví, mục Chi tiết theo tháng, giờ bạn có thể tải sao kê của từng tháng.",
    ),
    (
        "jp",
        "月次明細書",
        "「ウォレット」の「月別明細」から、各月の明細書をダウンロードできるようになりました。",
    ),
    (
        "kor",
        "월별 명세서",
        "이제 지갑의 월별 내역에서 매월 명세서를 내려받을 수 있습니다.",
    ),
    (
        "zh",
        "月度对账单",
        "现在可以在“钱包”的“月度明细”中下载每个月的对账单。",
    ),
    (
        "cht",
        "月度對帳單",
        "現在可以在「錢包」的「月度明細」中下載每個月的對帳單。",
    ),
];

const MAINTENANCE: [Text; 12] = [
    (
        "en",
        "Maintenance on Sunday",
        "On Sunday between 02:00 and 02:30 UTC figures may be refreshed more slowly. Plans go on running.",
    ),
    (
        "de",
        "Wartung am Sonntag",
        "Am Sonntag zwischen 02:00 und 02:30 UTC können Zahlen langsamer aktualisiert werden. Pläne laufen weiter.",
    ),
    (
        "fr",
        "Maintenance dimanche",
        "Dimanche entre 02:00 et 02:30 UTC, les chiffres peuvent être actualisés plus lentement. Les plans continuent.",
    ),
    (
        "spa",
        "Mantenimiento el domingo",
        "El domingo entre las 02:00 y las 02:30 UTC, las cifras pueden actualizarse más despacio. Los planes siguen en marcha.",
    ),
    (
        "pt",
        "Manutenção no domingo",
        "No domingo, entre as 02:00 e as 02:30 UTC, os números podem ser atualizados mais devagar. Os planos continuam.",
    ),
    (
        "ru",
        "Техническое обслуживание в воскресенье",
        "В воскресенье с 02:00 до 02:30 UTC показатели могут обновляться медленнее. Планы продолжают работать.",
    ),
    (
        "th",
        "ปิดปรับปรุงวันอาทิตย์",
        "วันอาทิตย์ เวลา 02:00 ถึง 02:30 UTC ตัวเลขอาจอัปเดตช้าลง แผนยังคงทำงานตามปกติ",
    ),
    (
        "vi",
        "Bảo trì vào Chủ nhật",
        "Chủ nhật từ 02:00 đến 02:30 UTC, số liệu có thể cập nhật chậm hơn. Các kế hoạch vẫn tiếp tục chạy.",
    ),
    (
        "jp",
        "日曜日のメンテナンス",
        "日曜日の02:00から02:30（UTC）は数値の更新が遅くなることがあります。プランは引き続き配信されます。",
    ),
    (
        "kor",
        "일요일 점검 안내",
        "일요일 02:00~02:30(UTC)에는 수치 갱신이 늦어질 수 있습니다. 플랜은 계속 진행됩니다.",
    ),
    (
        "zh",
        "周日系统维护",
        "周日 02:00 至 02:30（UTC）数据更新可能变慢，计划照常投放。",
    ),
    (
        "cht",
        "週日系統維護",
        "週日 02:00 至 02:30（UTC）資料更新可能變慢，計畫照常投放。",
    ),
];
