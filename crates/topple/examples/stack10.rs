//! Stack of ten.
use topple::*;
fn main() {
    for n in [10, 20, 30] {
        let mut w = World2::with_settings(Settings2 { sleeping: false, ..Settings2::default() }).unwrap();
        w.create_body_with(BodyDef2::fixed([0.0, -1.0]), [Shape2::rectangle(40.0, 2.0)]).unwrap();
        let ids: Vec<_> = (0..n)
            .map(|i| {
                w.create_body_with(BodyDef2::dynamic([0.0, 0.5 + i as f32]), [Shape2::rectangle(1.0, 1.0)])
                    .unwrap()
            })
            .collect();
        print!("{n}: ");
        for s in 0..1200 {
            w.step();
            if s % 120 == 119 {
                let b = w.body(ids[n - 1]).unwrap();
                print!("{:.4},{:.3} ", b.position().x, b.position().y);
            }
        }
        println!();
        let mut w = World3::with_settings(Settings3 { sleeping: false, ..Settings3::default() }).unwrap();
        w.create_body_with(BodyDef3::fixed([0.0, -1.0, 0.0]), [Shape3::cuboid(40.0, 2.0, 40.0)]).unwrap();
        let ids: Vec<_> = (0..n)
            .map(|i| {
                w.create_body_with(
                    BodyDef3::dynamic([0.0, 0.5 + i as f32, 0.0]),
                    [Shape3::cuboid(1.0, 1.0, 1.0)],
                )
                .unwrap()
            })
            .collect();
        print!("{n} 3d: ");
        for s in 0..1200 {
            w.step();
            if s % 120 == 119 {
                let b = w.body(ids[n - 1]).unwrap();
                print!("{:.4},{:.3} ", b.position().x, b.position().y);
            }
        }
        println!();
    }
}
